import { groupBy } from '../collections.js';
import type { Sample, SampleImage } from '../datasets/sample.js';
import { encodeLabelPng, encodePng } from '../io/png.js';
import type { RasterArray } from '../io/raster.js';
import { isObjectTask } from '../manifests/answer-task.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import { findBand, findSensorManifest } from '../manifests/sensor-manifest.js';
import type { ObjectPrediction } from '../evaluation/evaluate-objects.js';
import { highest, type Prediction } from '../evaluation/evaluate-split.js';
import type { ExampleObject, ObjectExample } from '../results/object-example.js';
import type { DetectionRow, ExampleRow } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import type { Item } from '../training/feed.js';
import { DetectionSummaries } from './detection-summaries.js';
import { metricFor, objectMetricFor } from './objective.js';
import type { PreparedRun } from './prepare-run.js';

/** Inputs shown of a place that is alone in its split, and of each place where there are several. */
const SHOWN_OF_ONE_PLACE = 2;
/** Predictions that are held until the shown ones are chosen. */
const HELD = 512;

interface Held {
  readonly item: Item;
  /** Labelled pixels or objects. */
  readonly labelled: number;
  /** Files of truth and prediction, and the score of this input alone. */
  readonly keep: (store: ResultStore) => Promise<Pick<ExampleRow, 'truth' | 'prediction' | 'score'>>;
}

/**
 * Keeps a few inputs of a segmentation or detection with truth and prediction, as images or as lists of objects: the same
 * inputs for every run of a dataset.
 */
export class ExampleKeeper {
  readonly #prepared: PreparedRun;
  readonly #store: ResultStore | undefined;
  readonly #held: Held[] = [];
  readonly #summaries: DetectionSummaries;

  constructor(prepared: PreparedRun, store: ResultStore | undefined) {
    this.#prepared = prepared;
    this.#store = store;
    this.#summaries = new DetectionSummaries(prepared.dataset.manifest);
  }

  /** Told of every prediction on scored splits. */
  readonly see = (item: Item, { outputs, channelCount, answer }: Prediction): void => {
    const { task, dataset } = this.#prepared;
    if (task !== 'segmentation' && task !== 'change_detection') return;
    if (!this.#store || this.#held.length >= HELD) return;
    const [height = 0, width = 0] = answer.shape;
    const { data: truth } = answer;
    const predicted = highest(outputs, channelCount);
    const png = (data: ArrayLike<number>) => encodeLabelPng(labels(data, height, width));
    this.#held.push({
      item,
      labelled: truth.reduce((sum, label) => sum + (label > 0 ? 1 : 0), 0),
      async keep(store) {
        const metric = metricFor(dataset, task, dataset.mode);
        metric.add(predicted, truth);
        return {
          truth: await store.putArtifact(png(truth), 'png'),
          prediction: await store.putArtifact(png(predicted), 'png'),
          score: metric.scores()['mIoU'] ?? null,
        };
      },
    });
  };

  /** Told of what is found on scored splits. */
  readonly seeObjects = (item: Item, { detected, answer: { shape, objects } }: ObjectPrediction): void => {
    const { task, dataset } = this.#prepared;
    if (!isObjectTask(task) || !this.#store) return;
    this.#summaries.see(item.split, { truth: objects, detected });
    if (this.#held.length >= HELD) return;
    const classes = dataset.manifest.classes.map(({ name }) => name);
    const file = (list: readonly ExampleObject[]) => {
      const example: ObjectExample = { height: shape[0], width: shape[1], classes, objects: list };
      return Buffer.from(JSON.stringify(example));
    };
    this.#held.push({
      item,
      labelled: objects.length,
      async keep(store) {
        const metric = objectMetricFor(dataset, task, dataset.mode);
        metric.add(objects, detected);
        return {
          truth: await store.putArtifact(file(objects), 'json'),
          prediction: await store.putArtifact(file(detected), 'json'),
          score: metric.scores()['AP50'] ?? null,
        };
      },
    });
  };

  /** Of all that was found on scored splits; none of other tasks. */
  async keepDetections(): Promise<DetectionRow[]> {
    return this.#store ? this.#summaries.keep(this.#store) : [];
  }

  async keep(): Promise<ExampleRow[]> {
    const store = this.#store;
    if (!store) return [];
    const { feed, dataset } = this.#prepared;
    const examples: ExampleRow[] = [];
    for (const held of [...groupBy(this.#held, ({ item }) => item.split).values()].flatMap(chooseExamples)) {
      const { item } = held;
      const { raw, place } = await feed.read(item);
      const image = picture(raw, dataset.manifest);
      if (!image) continue;
      examples.push({
        id: `${item.split}/${item.id}`,
        split: item.split,
        place: place || item.id,
        image: await store.putArtifact(encodePng(image), 'png'),
        ...(await held.keep(store)),
      });
    }
    return examples;
  }
}

const labels = (data: ArrayLike<number>, height: number, width: number) => ({
  data: Uint8Array.from(data, (label) => (label >= 0 && label < 256 ? label : 255)),
  height,
  width,
});

/** Typical inputs: evenly spread over those of a place, ordered by how much is labelled. */
function chooseExamples(held: readonly Held[]): Held[] {
  const places = [...groupBy(held, ({ item }) => item.entry.id).values()];
  const shown = places.length > 1 ? 1 : SHOWN_OF_ONE_PLACE;
  return places.slice(0, MOST_PLACES).flatMap((members) => {
    const ordered = members.toSorted((a, b) => a.labelled - b.labelled);
    return Array.from(
      { length: Math.min(shown, ordered.length) },
      (_, rank) => ordered[Math.floor(((rank + 1) * ordered.length) / (shown + 1))]!,
    );
  });
}

const MOST_PLACES = 4;

/** True colour of the last date where there is one, else the first band in grey; 8-bit as it is, others by 2 … 98 %. */
function picture(sample: Sample, manifest: DatasetManifest): RasterArray | undefined {
  for (const [name, image] of Object.entries(sample.images)) {
    const bands = colours(image, manifest.modalities[name]?.sensor);
    if (bands) return stretched(image, bands);
  }
  const [first] = Object.values(sample.images);
  return first && stretched(first, [0, 0, 0]);
}

function colours(image: SampleImage, sensor: string | undefined): number[] | undefined {
  const known = sensor === undefined ? undefined : findSensorManifest(sensor);
  const places = ['red', 'green', 'blue'].map((colour) => {
    const band = known && findBand(known, colour);
    return image.bands.findIndex((name) => name === colour || (band && findBand(known, name) === band));
  });
  return places.includes(-1) ? undefined : places;
}

function stretched(image: SampleImage, bands: readonly number[]): RasterArray {
  const { height, width, timeCount, storedType } = image;
  const pixels = height * width;
  const start = (timeCount - 1) * pixels;
  const data = new Uint8Array(pixels * 3);
  for (const [channel, band] of bands.entries()) {
    const value = (pixel: number): number => image.data[(start + pixel) * image.bands.length + band]!;
    const [low, high] = storedType === 'uint8' ? [0, 255] : range(pixels, value);
    for (let pixel = 0; pixel < pixels; pixel++) {
      const share = (value(pixel) - low) / (high - low || 1);
      data[pixel * 3 + channel] = share > 0 ? Math.min(255, Math.round(share * 255)) : 0; // NaN is black
    }
  }
  return { data, height, width, bandCount: 3 };
}

/** The 2nd and 98th percentile of a few thousand pixels. */
function range(pixels: number, value: (pixel: number) => number): [number, number] {
  const step = Math.max(1, Math.floor(pixels / 4096));
  const values = Array.from({ length: Math.floor(pixels / step) }, (_, at) => value(at * step))
    .filter((one) => Number.isFinite(one))
    .sort((a, b) => a - b);
  const at = (share: number): number => values[Math.floor(share * (values.length - 1))] ?? 0;
  return [at(0.02), at(0.98)];
}
