import { ownHyperparameters } from '../decoders/decoder.js';
import { getNeck } from '../decoders/necks/registry.js';
import { getHead, isDetector } from '../detection/registry.js';
import { InputError } from '../errors.js';
import { isObjectTask } from '../manifests/answer-task.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { DecoderSettings } from '../manifests/protocol-manifest.js';
import { valueWords } from './arm-name.js';
import type { DecoderChoice } from './study.js';

/** A decoder of a study, as it was asked for. */
export interface ChosenDecoder {
  readonly id: string;
  /** Of its family, whatever it was called. */
  readonly familyId: string;
  /** Of a detector: boxes alone, or masks as well; null: a decoder of logits. */
  readonly finds: 'boxes' | 'masks' | null;
  readonly options: DecoderSettings;
  /** Of the options given, those that are not its defaults. @throws InputError HYPERPARAMETERS_INVALID */
  readonly own: (given: DecoderSettings) => DecoderSettings;
  /** undefined: the protocol's. */
  readonly neck: string | undefined;
  /** In names of arms: its id, and the options that the study gives it. */
  readonly name: string;
}

/** @throws UsageError DECODER_UNKNOWN, NECK_UNKNOWN */
export async function chooseDecoder(choice: string | DecoderChoice): Promise<ChosenDecoder> {
  const { id, options = {}, neck } = typeof choice === 'string' ? { id: choice } : choice;
  const family = await getHead(id);
  if (neck !== undefined) await checkNeck(neck);
  const words = [
    ...(Object.keys(options).length > 0 ? [valueWords(options)] : []),
    ...(neck === undefined ? [] : [neck]),
  ];
  const own = (given: DecoderSettings): DecoderSettings => ownHyperparameters(family, given);
  const name = words.length > 0 ? `${id} (${words.join(', ')})` : id;
  const finds = !isDetector(family) ? null : family.hasMasks ? 'masks' : 'boxes';
  return { id, familyId: family.id, finds, options, own, neck, name };
}

/**
 * Boxes need a detector, masks one that draws them; everything else a decoder of logits.
 * @throws InputError DECODER_MISFIT
 */
export function requireHead(
  { id, finds }: Pick<ChosenDecoder, 'id' | 'finds'>,
  { id: dataset, task }: Pick<DatasetManifest, 'id' | 'task'>,
): void {
  const needed = task === 'instance_segmentation' ? 'masks' : task === 'detection' ? 'boxes' : null;
  if (finds === needed) return;
  const wanted = task === 'detection' ? 'faster-rcnn' : 'mask-rcnn';
  throw new InputError('DECODER_MISFIT', `${id} does not serve the task of ${dataset}, which is ${task}.`, {
    where: `decoder ${id}, dataset ${dataset}`,
    hint: isObjectTask(task)
      ? `Choose ${wanted}.`
      : 'Choose a decoder of pixels or images, such as unet-smp.',
  });
}

/** `none`, or a neck that there is. @throws UsageError NECK_UNKNOWN */
export async function checkNeck(neck: string): Promise<void> {
  if (neck !== 'none') await getNeck(neck);
}

/**
 * What a run's decoder is made of: what the paper has, what the study says of this decoder, what it says of all.
 * Values that are the decoder's defaults are left out.
 * @throws InputError HYPERPARAMETERS_INVALID
 */
export function decoderOptionsFor(
  { id, familyId, options, own }: ChosenDecoder,
  protocol: Readonly<Record<string, DecoderSettings>>,
  given: DecoderSettings,
): DecoderSettings {
  const published = protocol[familyId] ?? protocol[id];
  return own({ ...published, ...options, ...given });
}
