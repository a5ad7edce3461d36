import { groupBy } from '../collections.js';
import { sampleImage } from '../datasets/image.js';
import type { SampleImage } from '../datasets/sample.js';
import { detectionsGeoJson } from '../detection/detections-geojson.js';
import { detectWindows, requireWindows } from '../detection/detect-windows.js';
import type { PlacedDetection } from '../detection/merge-windows.js';
import { cellSignal } from '../display/kernel-link.js';
import type { MimeBundle } from '../display/mime.js';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { InputError, StoppedError, UsageError } from '../errors.js';
import { writeFileAtomic } from '../io/atomic-file.js';
import { GeoTiffFile, type GeoTiffInfo } from '../io/geotiff.js';
import type { Window } from '../io/window.js';
import type { DetectedObject } from '../metrics/coco/coco-metric.js';
import type { RunRecord } from '../results/run-record.js';
import { openStore, type ResultStore } from '../results/store.js';
import { prepareDetector } from './open-detector.js';
import { rasterBands, type RasterBands, type RasterFacts } from './raster-bands.js';
import { otherSize, pixelWidthM, placeOf, type RasterPlace } from './raster-place.js';
import type { StudyDefinition } from './study.js';

export interface DetectRasterOptions {
  /** Folder of a study. */
  readonly store: string;
  /** Id of a run, or the first digits of one. */
  readonly run: string;
  /** A GeoTIFF of any size: its windows are read one by one. */
  readonly file: string;
  /** Least score. Default 0.5. */
  readonly minScore?: number;
  /** Side of a window, pixels. Default: that of the run's inputs, else 512. */
  readonly window?: number;
  /** Pixels that neighbouring windows share at least, longer than most objects. Default: a quarter of the window. */
  readonly overlap?: number;
  /** Names of the raster's bands in the order of the file, where it says none or others. */
  readonly bands?: readonly string[];
  /** Default: the signal of the notebook's cell, if any. */
  readonly signal?: AbortSignal;
  /** Told what is done, 0 … 1. */
  readonly onProgress?: (share: number, what: string) => void;
  readonly onNotice?: (text: string) => void;
}

/** What was found on a raster. */
export interface RasterDetections {
  readonly run: string;
  /** Boxes in the raster's pixels, best first. */
  readonly detections: readonly PlacedDetection[];
  /** By label; the first is the background. */
  readonly classes: readonly string[];
  readonly window: number;
  readonly overlap: number;
  readonly minScore: number;
  /** Polygons in the raster's coordinate system, see `detectionsGeoJson`. @throws what writing a file throws */
  readonly writeGeoJson: (file: string) => Promise<void>;
}

/**
 * Detects on a raster by the detector of a finished run whose study keeps weights. Numbers and bands of the raster have to be
 * those of the dataset's files; pixels that no band has a value for are hidden. The rule at the seams of windows is that of
 * `mergeWindows`.
 * @throws before anything is computed UsageError OPTION_VALUE, STEP_OPTION; InputError RUN_UNKNOWN, TASK_OTHER,
 *   WEIGHTS_NOT_KEPT, RASTER_BANDS, GEOREFERENCE_MISSING; then StoppedError; what reading the raster throws
 */
export async function detectRaster(options: DetectRasterOptions): Promise<RasterDetections> {
  const { file, minScore = 0.5, onProgress, onNotice } = options;
  const signal = cellSignal(options.signal);
  requireGoing(signal);
  requireScore(minScore);
  const windowsOf = (side: number) => {
    const { window = side, overlap = Math.floor(window / 4) } = options;
    requireWindows({ window, overlap });
    return { window, overlap };
  };
  if (options.window !== undefined) windowsOf(options.window);
  const store = openStore(options.store);
  const record = findRun(store, options.run);
  const raster = GeoTiffFile.open(file);
  try {
    const { info } = raster;
    const place = placeOf(info, file);
    const facts = factsOf(info, options.bands, file);
    const study = store.readPlan()?.study as StudyDefinition | undefined;
    const prepared = await prepareDetector(record, {
      ...{ store, ...(study && { study }) },
      ...(signal && { signal }),
      ...(onNotice && { onNotice }),
    });
    const { manifest } = prepared;
    const { modality, bands, places } = await rasterBands(record.definition, manifest, facts);
    const { invalidValues } = manifest.modalities[modality]!;
    const { window, overlap } = windowsOf(prepared.size ?? DEFAULT_WINDOW);
    const notice = otherSize(await pixelWidthM({ ...info, crs: place.crs }), {
      id: manifest.id,
      gsdM: prepared.gsdM,
    });
    if (notice !== null) onNotice?.(notice);
    const detector = await prepared.open();
    try {
      const look = async (part: Window): Promise<readonly DetectedObject[]> => {
        const image = await windowImage(raster, part, { bands, places, place, invalidValues });
        if (image === null) return [];
        const found = await detector.detect({ [modality]: image });
        return found.filter(({ score }) => score >= minScore);
      };
      const detections = await detectWindows(info, look, {
        ...{ window, overlap },
        async onWindow(done, count) {
          onProgress?.(done / count, `window ${done} of ${count}`);
          await new Promise((resolve) => setImmediate(resolve));
          requireGoing(signal);
        },
      });
      const classes = manifest.classes.map(({ name }) => name);
      const found: RasterDetections = {
        ...{ run: record.id, detections, classes, window, overlap, minScore },
        async writeGeoJson(out) {
          const geoJson = detectionsGeoJson(detections, place, (label) => classes[label] ?? String(label));
          await writeFileAtomic(out, `${JSON.stringify(geoJson)}\n`);
        },
      };
      return showAs(found, { bundle: (shown) => detectionsSheet(shown, file) });
    } finally {
      detector.dispose();
    }
  } finally {
    raster.close();
  }
}

const DEFAULT_WINDOW = 512;

/** @throws UsageError OPTION_VALUE */
function requireScore(minScore: number): void {
  if (minScore >= 0 && minScore <= 1) return;
  throw new UsageError('OPTION_VALUE', `minScore is ${minScore}.`, { hint: 'It is a number from 0 to 1.' });
}

/** @throws StoppedError */
function requireGoing(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new StoppedError('Detecting was stopped; nothing was written.');
}

interface ShownBands extends Pick<RasterBands, 'bands' | 'places'> {
  readonly place: RasterPlace;
  /** Of the dataset. */
  readonly invalidValues: readonly number[];
}

/** A window of the raster as an image of the dataset; null: no pixel of it counts. */
async function windowImage(
  raster: GeoTiffFile,
  window: Window,
  { bands, places, place: { crs, file }, invalidValues }: ShownBands,
): Promise<SampleImage | null> {
  const { valid, data, height, width, transform, nodata } = await raster.read({
    ...{ window, bands: places, mask: true },
  });
  const shown = valid && whereAnyCounts(valid, bands.length);
  if (shown?.includes(1) === false) return null;
  const parts = { data, height, width, transform, nodata };
  return sampleImage({ ...parts, valid: shown, bands, crs, invalidValues }, file);
}

/** A bright pixel may have the value of no data in a band; it is hidden where all bands have it. */
function whereAnyCounts(valid: Uint8Array, bandCount: number): Uint8Array {
  const shown = new Uint8Array(valid.length);
  for (let pixel = 0; pixel < valid.length; pixel += bandCount)
    if (valid.subarray(pixel, pixel + bandCount).includes(1)) shown.fill(1, pixel, pixel + bandCount);
  return shown;
}

/** How many of each class. */
function detectionsSheet({ run, detections, classes, ...how }: RasterDetections, file: string): MimeBundle {
  const counts = [...groupBy(detections, ({ label }) => label)].map(([label, own]) => ({
    class: classes[label] ?? String(label),
    detections: own.length,
    'highest score': own[0]!.score,
  }));
  return sheetBundle({
    title: `${detections.length} detections`,
    facts: [
      ['raster', file],
      ['run', run],
      ['windows', `${how.window} px, ${how.overlap} px shared`],
      ['from a score of', how.minScore],
    ],
    tables: [{ rows: counts }],
  });
}

/** @throws InputError RUN_UNKNOWN */
function findRun(store: ResultStore, wanted: string): RunRecord {
  const ids = store.ids().filter((id) => id.startsWith(wanted));
  const [id] = ids;
  const record = ids.length === 1 && wanted !== '' ? store.read(id!) : undefined;
  if (record) return record;
  const { records } = store.readAll();
  const trained = records.filter(({ modelWeights }) => modelWeights !== undefined).slice(0, 5);
  const known = trained.map(({ id: own, arm, definition }) => `${own} (${arm}, seed ${definition.seed})`);
  throw new InputError(
    'RUN_UNKNOWN',
    ids.length > 1
      ? `${ids.length} runs have ids that begin with "${wanted}".`
      : `There is no finished run "${wanted}".`,
    {
      where: store.folder,
      hint:
        known.length > 0
          ? `Runs with weights: ${known.join('; ')}.`
          : 'No run of this folder has weights: give the study keepWeights: true.',
    },
  );
}

/** @throws InputError RASTER_BANDS where more or fewer bands are named than there are */
function factsOf(
  { bands, alphaBand }: GeoTiffInfo,
  given: readonly string[] | undefined,
  where: string,
): RasterFacts {
  const places = bands.map((_, band) => band).filter((band) => band !== alphaBand);
  if (given === undefined) return { names: places.map((band) => bands[band]!.name), places, where };
  if (given.length === places.length) return { names: given, places, where };
  throw new InputError(
    'RASTER_BANDS',
    `The raster has ${places.length} bands, and ${given.length} are named.`,
    {
      where,
      hint: 'Name them all, in the order of the file.',
    },
  );
}
