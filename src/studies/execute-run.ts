import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { getDecoder } from '../decoders/registry.js';
import { getEncoderFamily } from '../encoders/registry.js';
import { evaluateTiles, matrixOf, total } from '../evaluation/evaluate-tiles.js';
import { slidingWindow, windowTiles } from '../evaluation/sliding-window.js';
import { readEncoderManifest } from '../manifests/encoder-manifest.js';
import type { ConfusionMatrix } from '../metrics/confusion-matrix.js';
import { segmentationScores } from '../metrics/segmentation-scores.js';
import type { Normalization } from '../preprocessing/normalize.js';
import { createRandom } from '../random.js';
import type { EpochRow, RunDefinition, RunRecord } from '../results/run-record.js';
import { encodeTiles, type FeatureSource } from '../training/features.js';
import { buildModel, type SegmentationModel } from '../training/model.js';
import { sizeOf } from '../shapes.js';
import type { Tile } from '../training/tiles.js';
import { train } from '../training/trainer.js';
import { keepExamples } from './examples.js';
import type { RunSettings } from './plan-study.js';
import { scoreRows } from './score-rows.js';
import { checkedInputs, type PreparedDataset, type Session } from './session.js';
import type { Phase, PlannedRun } from './study.js';

/** Shares of a run's time that its phases take, for progress. */
const TRAINING_SHARE = 0.85;

/**
 * One run from its definition to its record: data, model, training, the weights of the best epoch, scores of
 * every scored split on tiles and by sliding window.
 */
export async function executeRun(run: PlannedRun, session: Session): Promise<RunRecord> {
  if (run.definition.encoder === 'none') return executeTrivialRun(run, session);
  const { definition } = run;
  const settings = settingsOf(definition, session.options.isCheck);
  const watch = startWatch();
  session.peakResidentBytes = process.memoryUsage.rss();
  const report = reporter(run, session);
  const note = (text: string): void => report('prepare', 0, { note: text });

  const prepared = await session.prepare(definition.dataset, settings.tileSize, note);
  const { manifest } = prepared.dataset;
  const { normalization, inputs } = checkedInputs(prepared, settings.normalization);
  const random = createRandom(definition.seed ?? 0);
  const isPretrained = settings.encoderWeights === 'pretrained';
  const encoderManifest = readEncoderManifest(definition.encoder);
  const model = await buildModel({
    family: await getEncoderFamily(encoderManifest.family),
    manifest: encoderManifest,
    decoder: await getDecoder(definition.decoder),
    bandCount: manifest.bands.length,
    classCount: manifest.classes.length,
    ...(isPretrained && { weightsFile: await session.weightsFile(definition.encoder, note) }),
    random: random.split('weights'),
  });
  watch.lap('prepare');

  try {
    const isFrozen = settings.encoderMode === 'frozen';
    if (isFrozen) report('features', 0);
    const features = await featureSource(run, session, prepared, model, normalization);
    watch.lap('features');

    const evaluation = {
      model,
      features,
      classCount: manifest.classes.length,
      ignoreIndex: manifest.ignoreIndex,
      batchSize: settings.batchSize,
      breathe: session.breathe,
    };
    const curve: EpochRow[] = [];
    const share = (epoch: number, part: number): number =>
      (TRAINING_SHARE * (epoch - 1 + part)) / settings.epochs;
    const selectedEpoch = await train({
      model,
      tiles: tilesOf(prepared, 'train'),
      protocol: settings,
      normalization,
      ignoreIndex: manifest.ignoreIndex,
      ...(isFrozen && { frozenFeatures: features }),
      random: random.split('training'),
      breathe: session.breathe,
      async validate() {
        watch.lap('train');
        const { byPlace } = await evaluateTiles(tilesOf(prepared, 'validation'), evaluation);
        const { mIoU } = segmentationScores(total(byPlace, manifest.classes.length));
        watch.lap('validate');
        return mIoU;
      },
      onStep: ({ epoch, step, steps, loss }) =>
        report('train', share(epoch, step / steps), { epoch, epochs: settings.epochs, loss }),
      onEpoch(row) {
        curve.push(row);
        const score = row.validationScore === null ? {} : { score: row.validationScore };
        report('validate', share(row.epoch, 1), { epoch: row.epoch, epochs: settings.epochs, ...score });
      },
    });

    const scored = ['validation', ...manifest.scoredSplits.map(({ split }) => split)];
    const scores = [];
    const examples = [];
    for (const [index, split] of scored.entries()) {
      report('evaluate', TRAINING_SHARE + ((1 - TRAINING_SHARE) * index) / scored.length);
      const tiles = tilesOf(prepared, split);
      const { byPlace, predictions } = await evaluateTiles(tiles, evaluation);
      scores.push(...scoreRows(split, 'tiles', byPlace, manifest.classes));
      if (split === 'validation') continue;
      const { tileSize: size, windowStride: stride } = settings;
      const whole = await slidingWindow(samplesOf(prepared, split), { ...evaluation, size, stride });
      if (whole.size > 0) scores.push(...scoreRows(split, 'sliding-window', whole, manifest.classes));
      examples.push(...(await keepExamples(tiles, predictions, manifest, session.options.store)));
    }
    watch.lap('evaluate');

    const trained = model.parameters.all.filter(({ role }) => role !== 'statistic');
    const moved = isFrozen ? trained.filter(({ name }) => name.startsWith('decoder/')) : trained;
    const size = (list: typeof trained): number =>
      list.reduce((sum, { variable }) => sum + sizeOf(variable.shape), 0);
    return {
      ...frame(run, session, prepared, watch),
      inputs,
      scores,
      curve,
      selectedEpoch,
      examples,
      cost: {
        parameters: size(trained),
        trainableParameters: size(moved),
        seconds: watch.laps(),
        peakResidentBytes: session.peakResidentBytes,
        processes: session.options.processes,
      },
    };
  } finally {
    model.dispose();
  }
}

/** Settings of a trained run; a check takes one epoch. */
const settingsOf = ({ settings }: RunDefinition, isCheck = false): RunSettings => ({
  ...(settings as unknown as RunSettings),
  ...(isCheck && { epochs: 1 }),
});

/** The same class at every pixel: what any model must beat. */
async function executeTrivialRun(run: PlannedRun, session: Session): Promise<RunRecord> {
  const watch = startWatch();
  const { predictedClass, tileSize } = run.definition.settings as {
    predictedClass: number;
    tileSize: number;
  };
  const report = reporter(run, session);
  const prepared = await session.prepare(run.definition.dataset, tileSize, (text) =>
    report('prepare', 0, { note: text }),
  );
  watch.lap('prepare');
  const { manifest } = prepared.dataset;
  const count = (pieces: readonly { place: string; target: { data: ArrayLike<number> } }[]) => {
    const byPlace = new Map<string, ConfusionMatrix>();
    for (const { place, target } of pieces) {
      const matrix = matrixOf(byPlace, place, manifest.classes.length, manifest.ignoreIndex);
      matrix.add(target.data, new Uint8Array(target.data.length).fill(predictedClass));
    }
    return byPlace;
  };
  const scores = ['validation', ...manifest.scoredSplits.map(({ split }) => split)].flatMap((split) => [
    ...scoreRows(split, 'tiles', count(tilesOf(prepared, split)), manifest.classes),
    ...(split === 'validation' || samplesOf(prepared, split).length === 0
      ? []
      : scoreRows(split, 'sliding-window', count(samplesOf(prepared, split)), manifest.classes)),
  ]);
  watch.lap('evaluate');
  const cost = {
    parameters: 0,
    trainableParameters: 0,
    seconds: watch.laps(),
    peakResidentBytes: process.memoryUsage.rss(),
    processes: session.options.processes,
  };
  return {
    ...frame(run, session, prepared, watch),
    inputs: [],
    scores,
    curve: [],
    selectedEpoch: null,
    examples: [],
    cost,
  };
}

/**
 * A frozen encoder's features are computed once for all tiles and windows and shared by every run with the same
 * encoder, weights and normalisation; a trained encoder runs each time.
 */
async function featureSource(
  { definition }: PlannedRun,
  session: Session,
  prepared: PreparedDataset,
  model: SegmentationModel,
  normalization: Normalization,
): Promise<FeatureSource> {
  const encode = encodeTiles(model, normalization);
  const settings = settingsOf(definition);
  if (settings.encoderMode !== 'frozen') return encode;
  const start = definition.weights ?? `random/${definition.seed}`;
  const key = [definition.dataset, definition.encoder, start, settings.normalization, settings.tileSize].join(
    '/',
  );
  const store = session.features(key);
  const mirrored = settings.flipProbability > 0 ? tilesOf(prepared, 'train') : [];
  const { tileSize, windowStride } = settings;
  const windows = prepared.dataset.manifest.scoredSplits.flatMap(({ split }) =>
    samplesOf(prepared, split).flatMap((sample) => windowTiles(sample, tileSize, windowStride)),
  );
  await store.fill([...prepared.tiles.values()].flat(), false, encode, session.breathe);
  await store.fill(mirrored, true, encode, session.breathe);
  await store.fill(windows, false, encode, session.breathe);
  return store.source(encode);
}

const tilesOf = ({ tiles }: PreparedDataset, split: string): readonly Tile[] => tiles.get(split) ?? [];
const samplesOf = ({ samples }: PreparedDataset, split: string) => samples.get(split) ?? [];

/** What every record says of its surroundings. */
function frame(run: PlannedRun, session: Session, prepared: PreparedDataset, watch: Watch) {
  const counts = Object.fromEntries(
    [...prepared.tiles].map(([split, tiles]) => [
      split,
      { samples: tiles.length, pixels: tiles.reduce((sum, { target }) => sum + target.data.length, 0) },
    ]),
  );
  return {
    schema: 'gondwana-run/1' as const,
    id: run.id,
    attempt: `${hostname()}-${process.pid}-${randomUUID()}`,
    study: session.options.study,
    arm: run.arm,
    definition: run.definition,
    dataHash: prepared.dataset.dataHash,
    counts,
    engine: session.options.engine,
    versions: session.options.versions,
    startedAt: watch.startedAt,
    finishedAt: new Date().toISOString(),
  };
}

type Extra = Partial<{ epoch: number; epochs: number; loss: number; score: number; note: string }>;

const reporter =
  (run: PlannedRun, session: Session) =>
  (phase: Phase, share: number, extra: Extra = {}): void =>
    session.options.emit({ type: 'step', run: run.id, phase, share, ...extra });

interface Watch {
  readonly startedAt: string;
  /** Adds the time since the last lap to a phase. */
  lap(phase: Phase): void;
  laps(): Record<string, number>;
}

function startWatch(): Watch {
  const seconds: Record<string, number> = {};
  let last = performance.now();
  return {
    startedAt: new Date().toISOString(),
    lap(phase) {
      const now = performance.now();
      seconds[phase] = (seconds[phase] ?? 0) + (now - last) / 1000;
      last = now;
    },
    laps: () => seconds,
  };
}
