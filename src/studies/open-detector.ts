import type { Sample, SampleImage } from '../datasets/sample.js';
import { detectBatch } from '../evaluation/evaluate-objects.js';
import { startEngine, type EngineInfo } from '../engine/engine.js';
import { InputError } from '../errors.js';
import { isObjectTask } from '../manifests/answer-task.js';
import type { DatasetManifest } from '../manifests/dataset-manifest.js';
import type { DetectedObject } from '../metrics/coco/coco-metric.js';
import { maskPixels, runLengthMask, type RunLengthMask } from '../metrics/coco/run-length-mask.js';
import { frameOf } from '../preprocessing/move-sample.js';
import { preprocess } from '../preprocessing/preprocess.js';
import { createRandom } from '../random.js';
import type { RunDefinition, RunRecord } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import { objectsOf } from '../training/answer.js';
import { encodingSource } from '../training/input-source.js';
import type { DetectionModel } from '../training/task-model.js';
import { restoreWeights } from './kept-weights.js';
import { prepareRun, type PreparedRun } from './prepare-run.js';
import { pixelWidthM } from './raster-place.js';
import { Session } from './session.js';
import type { StudyDefinition } from './study.js';
import { taskParts } from './task-parts.js';
import { likelyBoxesFault } from './detection-faults.js';

export interface OpenDetectorOptions {
  readonly store: ResultStore;
  /** Whose folders of data and weights are used; default those of the cache and GONDWANA_DATA. */
  readonly study?: Pick<StudyDefinition, 'data' | 'weights'>;
  readonly signal?: AbortSignal;
  /** Told what is being done, e.g. a download. */
  readonly onNotice?: (text: string) => void;
}

/** What is known of a run's detector before its weights are loaded. */
export interface DetectorFacts {
  /** Of the dataset that it was trained on: bands and classes of images that it takes. */
  readonly manifest: DatasetManifest;
  /**
   * Side of what it was trained on, in pixels of the dataset's images: of tiles and crops, or, where images were resized,
   * the longer side of the first; null: whole images.
   */
  readonly size: number | null;
}

/** The detector of a finished run. */
export interface OpenedDetector extends DetectorFacts {
  /** Whether what is found has masks. */
  readonly hasMasks: boolean;
  /**
   * What is found in an image, best first, in its own pixels.
   * @param images by modality of the dataset, with the bands of its manifest and the numbers of the files
   * @throws what the steps of the run throw, e.g. for bands that are missing
   */
  readonly detect: (images: Readonly<Record<string, SampleImage>>) => Promise<DetectedObject[]>;
  readonly dispose: () => void;
}

type DetectorRecord = Pick<RunRecord, 'id' | 'study' | 'definition' | 'modelWeights' | 'task'>;

/**
 * Builds the model of a run again and gives it the weights that the study kept. The dataset has to be where it was.
 * @throws InputError WEIGHTS_NOT_KEPT, TASK_OTHER; what opening the dataset and building the model throw
 */
export const openDetector = async (
  record: DetectorRecord,
  options: OpenDetectorOptions,
): Promise<OpenedDetector> => (await prepareDetector(record, options)).open();

/** A run's detector whose model is not built yet. */
export interface PreparedDetector extends DetectorFacts {
  /** Width of a pixel of the dataset in metres: as its manifest says, else as its first image does; null: neither says it. */
  readonly gsdM: number | null;
  readonly open: () => Promise<OpenedDetector>;
}

/** As `openDetector`, up to the model. */
export async function prepareDetector(
  record: DetectorRecord,
  { store, study = {}, signal, onNotice = () => undefined }: OpenDetectorOptions,
): Promise<PreparedDetector> {
  const { definition, modelWeights, task } = record;
  const where = `run ${record.id} in ${store.folder}`;
  if (!isObjectTask(task as DatasetManifest['task']) || definition.encoder === 'none')
    throw new InputError(
      'TASK_OTHER',
      `The run is ${definition.encoder === 'none' ? 'a trivial one' : `of the task ${task ?? 'segmentation'}`}, and no detector.`,
      {
        where,
        hint: 'Choose a run of faster-rcnn or mask-rcnn; `gondwana status` lists the runs of a store.',
      },
    );
  if (modelWeights === undefined)
    throw new InputError('WEIGHTS_NOT_KEPT', 'The run has no weights.', {
      where,
      hint: 'Give the study keepWeights: true and run it again in a store of its own.',
    });
  const engine: EngineInfo = await startEngine();
  const session = new Session({
    study: { name: record.study, ...study },
    ...{ engine, versions: {}, store: undefined, isCheck: false, processes: 1 },
    emit: (event) => {
      if (event.type === 'notice') onNotice(event.text);
    },
    signal: signal ?? new AbortController().signal,
  });
  const prepared = await prepareRun(definition, session, onNotice);
  const { manifest } = prepared.dataset;
  const first = await firstImage(prepared);
  const isResized = prepared.settings.crop === 'resize' && prepared.size !== null;
  const size = isResized ? Math.max(first.height, first.width) : prepared.size;
  return {
    ...{ manifest, size, gsdM: manifest.gsdM ?? (await pixelWidthM(first)) },
    async open() {
      const random = createRandom(definition.seed ?? 0).split('weights');
      const { model } = await taskParts(definition, prepared, session, random);
      const dispose = (): void => {
        model.dispose();
        session.frozenEncoder.dispose();
      };
      try {
        restoreWeights(model, modelWeights, store);
      } catch (error) {
        dispose();
        throw error;
      }
      return { ...detectorOf(definition, prepared, model as DetectionModel), size, dispose };
    },
  };
}

/** Of the training split, as it lies in its file. @throws InputError SPLIT_EMPTY */
async function firstImage({ feed }: PreparedRun): Promise<SampleImage> {
  const [first] = await feed.samples('train');
  if (!first) throw feed.emptySplit('train');
  return frameOf(await feed.whole(first));
}

function detectorOf(
  definition: RunDefinition,
  { dataset, feed }: PreparedRun,
  model: DetectionModel,
): Omit<OpenedDetector, 'size' | 'dispose'> {
  const source = encodingSource(model);
  const likelyBoxesAlone = likelyBoxesFault(definition)['likely-boxes-alone'];
  const { describe, answer, steps, onWarning } = feed.options;
  return {
    ...{ manifest: dataset.manifest, hasMasks: model.hasMasks },
    async detect(images) {
      const raw: Sample = {
        ...{ id: 'image', split: 'test', images, facts: {} },
        target: { kind: 'boxes', objects: [] },
      };
      const sample = preprocess(raw, steps(raw.split), { dataset, onWarning });
      const batch = [
        { name: raw.id, answer: answer(sample), place: '', given: { input: await describe(sample) } },
      ];
      const [found] = detectBatch(batch, { model, source, likelyBoxesAlone });
      const [height, width] = objectsOf(batch[0]!.answer).shape;
      const first = Object.values(images)[0]!;
      const isResized = first.width !== width || first.height !== height;
      return isResized ? inOwnPixels(found!, [height, width], first) : found!;
    },
  };
}

/** Boxes of a resized input in the pixels of the image. */
function inOwnPixels(
  found: readonly DetectedObject[],
  [fromHeight, fromWidth]: readonly [number, number],
  image: Pick<SampleImage, 'height' | 'width'>,
): DetectedObject[] {
  const [down, across] = [image.height / fromHeight, image.width / fromWidth];
  return found.map(({ box: [left, top, width, height], mask, ...rest }) => ({
    ...rest,
    box: [left * across, top * down, width * across, height * down],
    ...(mask && { mask: resizedMask(mask, image) }),
  }));
}

/** The nearest pixel. */
function resizedMask(
  mask: RunLengthMask,
  { height, width }: Pick<SampleImage, 'height' | 'width'>,
): RunLengthMask {
  const from = maskPixels(mask);
  const nearest = (at: number, to: number, size: number): number => Math.floor(((at + 0.5) * size) / to);
  const pixels = Uint8Array.from(
    { length: height * width },
    (_, at) =>
      from[
        nearest(Math.floor(at / width), height, mask.height) * mask.width +
          nearest(at % width, width, mask.width)
      ]!,
  );
  return runLengthMask(pixels, height, width);
}
