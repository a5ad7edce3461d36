import type { DecoderFamily } from '../decoders/decoder.js';
import { decoderAliases, decoders, type detectorIds } from '../decoders/registry.js';
import { lookUp, type Registry } from '../registry.js';
import type { DetectorFamily } from './detector-family.js';

/** Detectors by id. */
export const detectors: Record<(typeof detectorIds)[number], Registry<DetectorFamily>[string]> = {
  'faster-rcnn': async () => (await import('./detector-family.js')).fasterRcnn,
  'mask-rcnn': async () => (await import('./detector-family.js')).maskRcnn,
};

/** What stands behind an encoder: a decoder of logits, or a detector. */
export type HeadFamily = DecoderFamily | DetectorFamily;

export const isDetector = (family: HeadFamily): family is DetectorFamily => family.predicts === 'objects';

/** A decoder or a detector by its id or another name of it. @throws UsageError DECODER_UNKNOWN */
export const getHead = (id: string): Promise<HeadFamily> =>
  lookUp<HeadFamily>(
    { ...decoders, ...detectors },
    Object.hasOwn(decoderAliases, id) ? decoderAliases[id]! : id,
    'decoder',
  );
