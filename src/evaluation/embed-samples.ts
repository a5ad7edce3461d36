import type { Dataset } from '../datasets/dataset.js';
import { Projections } from '../datasets/places/projections.js';
import type { Sample, TargetOf } from '../datasets/sample.js';
import { cellSignal } from '../display/kernel-link.js';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import type { Encoder } from '../encoders/open-encoder.js';
import { StoppedError } from '../errors.js';
import { preprocess } from '../preprocessing/preprocess.js';
import type { InputWarning, PreprocessingStep } from '../preprocessing/step.js';
import { encoderSample, encoderSteps, type EncoderStepsOptions } from '../training/encoder-steps.js';

/** One vector a sample. In a notebook it shows how many there are and of what size. */
export interface Embeddings {
  readonly encoder: string;
  /** Of the factors of the encoder's linear layers; absent where a file does not say. */
  readonly precision?: Encoder['precision'];
  readonly ids: readonly string[];
  readonly splits: readonly string[];
  /** Class index, or the classes that are present; null for other targets. */
  readonly labels: readonly (number | readonly number[] | null)[];
  /** Of a regression: mean of the target over the pixels that count, null where none does. Absent for other tasks. */
  readonly values?: readonly (number | null)[];
  readonly vectors: readonly Float32Array[];
}

export interface EmbedOptions extends EncoderStepsOptions {
  /** Default: `encoderSteps(encoder, options)`. */
  readonly steps?: readonly PreprocessingStep[];
  /** Where the samples come from: its statistics, mode and faults are used. */
  readonly dataset?: Dataset;
  /** Metres a pixel of the samples as they come. Default: what the dataset's manifest says. */
  readonly gsdM?: number;
  /** Default 8. */
  readonly batchSize?: number;
  /** Centre wavelengths in nanometres, by modality of the encoder. Default: those of the dataset's bands. */
  readonly wavelengths?: Readonly<Record<string, readonly number[]>>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number) => void;
  readonly onWarning?: (warning: InputWarning) => void;
}

/**
 * Vectors of samples, e.g. `await embedSamples(encoder, dataset.samples('train'), { dataset })`: each sample through the
 * steps, then the encoder in batches of samples of one size.
 * @throws StoppedError once `signal` (default: that of the notebook's cell) is aborted; what the steps and the encoder throw
 */
export async function embedSamples(
  encoder: Encoder,
  samples: AsyncIterable<Sample> | Iterable<Sample>,
  options: EmbedOptions = {},
): Promise<Embeddings> {
  const { batchSize = 8, dataset, onProgress = () => undefined, onWarning } = options;
  const steps = options.steps ?? encoderSteps(encoder, options);
  const signal = cellSignal(options.signal);
  const found: Embeddings & Record<'ids' | 'splits' | 'labels' | 'vectors', unknown[]> = {
    ...{ encoder: encoder.id, precision: encoder.precision, ids: [], splits: [], labels: [], vectors: [] },
  };
  const values: (number | null)[] = [];
  const projections = new Projections();
  let batch: Sample[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const ready = await Promise.all(
      batch.map((sample) => encoderSample(sample, projections, { dataset, gsdM: options.gsdM })),
    );
    const wavelengths = options.wavelengths ?? wavelengthsOf(batch[0]!, dataset);
    found.vectors.push(...(await encoder.embed(ready, wavelengths ? { wavelengths } : {})));
    for (const { id, split, target } of batch) {
      found.ids.push(id);
      found.splits.push(split);
      found.labels.push(labelOf(target));
      if (target.kind === 'values') values.push(meanOf(target));
    }
    batch = [];
    onProgress(found.ids.length);
  };
  for await (const sample of samples) {
    if (signal?.aborted) throw stopped(found.ids.length);
    const prepared = preprocess(sample, steps, {
      ...(dataset && { dataset }),
      ...(onWarning && { onWarning }),
    });
    if (batch.length > 0 && sizeOf(prepared) !== sizeOf(batch[0]!)) await flush();
    batch.push(prepared);
    if (batch.length >= batchSize) await flush();
    await new Promise(setImmediate); // a turn of the event loop, so that a stop is heard
  }
  if (signal?.aborted) throw stopped(found.ids.length);
  await flush();
  return showAs<Embeddings>(values.length > 0 ? { ...found, values } : found, {
    bundle: ({ ids, vectors, encoder: id }) =>
      sheetBundle({
        title: `Embeddings by ${id}`,
        facts: [
          ['samples', ids.length],
          ['numbers a sample', vectors[0]?.length],
        ],
      }),
  });
}

const stopped = (done: number): StoppedError =>
  new StoppedError(`The embedding was stopped after ${done} samples.`, {
    hint: 'Run it again; nothing was written.',
  });

const sizeOf = ({ images }: Sample): string =>
  Object.entries(images)
    .map(([name, { timeCount, height, width, bands }]) =>
      [name, timeCount, height, width, bands.length].join(),
    )
    .join(' ');

const labelOf = (target: Sample['target']): number | readonly number[] | null =>
  target.kind === 'class' ? target.label : target.kind === 'classes' ? target.labels : null;

function meanOf({ values, valid }: TargetOf<'values'>): number | null {
  let [sum, count] = [0, 0];
  for (const [pixel, value] of values.entries()) {
    if (valid?.[pixel] === 0) continue;
    sum += value;
    count++;
  }
  return count > 0 ? sum / count : null;
}

/** Of the bands that the sample has, from the dataset's manifest; undefined where one is not known. */
function wavelengthsOf(sample: Sample, dataset: Dataset | undefined): Record<string, number[]> | undefined {
  if (!dataset) return undefined;
  const known = new Map(
    Object.values(dataset.manifest.modalities).flatMap(({ bands }) =>
      bands.map(({ id, wavelengthNm }) => [id, wavelengthNm] as const),
    ),
  );
  const found: Record<string, number[]> = {};
  for (const [modality, { bands }] of Object.entries(sample.images)) {
    const values = bands.map((band) => known.get(band) ?? null);
    if (values.every((value) => value !== null)) found[modality] = values;
  }
  return Object.keys(found).length > 0 ? found : undefined;
}
