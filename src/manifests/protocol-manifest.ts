import { z } from 'zod';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { protocolSheet } from './manifest-sheets.js';
import { readManifest } from './read-manifest.js';

/** How a model is trained and scored; every member can be replaced by a study's settings. */
export interface Protocol {
  /** Side of the square training tiles, pixels. */
  readonly tileSize: number;
  readonly batchSize: number;
  readonly epochs: number;
  readonly optimizer: 'adamw';
  /** Decoder and head. */
  readonly learningRate: number;
  /** Encoder, when it is trained. */
  readonly encoderLearningRate: number;
  /** Decoupled, on every trained parameter. */
  readonly weightDecay: number;
  readonly loss: 'cross-entropy';
  /** Chance that a whole batch is mirrored left to right. */
  readonly flipProbability: number;
  /** Score whose best epoch is kept, over the validation split. */
  readonly selectBy: 'mIoU';
  /** Whole images are also scored by windows of the tile size, at most this far apart, pixels. */
  readonly windowStride: number;
}

export interface ProtocolManifest {
  readonly id: string;
  readonly title: string;
  readonly reference: string;
  readonly settings: Protocol;
  readonly hash: string;
}

const settings = z.strictObject({
  // smaller tiles have nothing left after five halvings; larger ones do not fit a batch
  tileSize: z.int().min(32).max(2048),
  batchSize: z.int().min(1).max(4096),
  epochs: z.int().min(1).max(100_000),
  optimizer: z.literal('adamw'),
  learningRate: z.number().positive(),
  encoderLearningRate: z.number().positive(),
  weightDecay: z.number().nonnegative(),
  loss: z.literal('cross-entropy'),
  flipProbability: z.number().min(0).max(1),
  selectBy: z.literal('mIoU'),
  // closer windows cover a pixel hundreds of times
  windowStride: z.int().min(16),
});

const schema = z.strictObject({ id: z.string(), title: z.string(), reference: z.string(), settings });

/** @throws InputError MANIFEST_UNKNOWN, MANIFEST_INVALID */
export const readProtocolManifest = (id: string): ProtocolManifest =>
  showAs<ProtocolManifest>(readManifest('protocols', id, schema), {
    bundle: (manifest) => sheetBundle(protocolSheet(manifest)),
  });

/** What is wrong with these protocol settings: `member: reason`, or undefined if nothing is. */
export function protocolProblem(candidate: unknown): string | undefined {
  const result = settings.safeParse(candidate);
  if (result.success) return undefined;
  const issue = result.error.issues[0]!;
  return `${issue.path.join('.') || 'settings'}: ${issue.message}`;
}
