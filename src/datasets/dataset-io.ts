import { existsSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { InputError, UsageError } from '../errors.js';
import { readError } from '../io/file-errors.js';
import { GeoTiffFile, type GeoRaster } from '../io/geotiff.js';
import { readRaster } from '../io/read-raster.js';
import { readNpy, type NpyArray } from '../io/npy.js';
import { NpzFile } from '../io/npz.js';
import type { LabelArray, PixelArray, RasterArray } from '../io/raster.js';
import { readWholeFile } from '../io/whole-file.js';
import type { DatasetManifest, ModalityManifest } from '../manifests/dataset-manifest.js';
import { unknownFault, type Mode } from './faults.js';
import { sampleImage, storedTypeOf } from './image.js';
import { mapLabels, toLabels } from './labels.js';
import type { SampleImage, TargetOf } from './sample.js';

/** What `entries` and `read` get: the dataset's folder and the manifest's rules. Paths are relative to the root, with `/`. */
export interface DatasetIo {
  readonly manifest: DatasetManifest;
  readonly root: string;
  readonly signal: AbortSignal | undefined;
  readonly mode: Mode;
  /** Whether a known fault of the reference is switched on. @throws UsageError FAULT_UNKNOWN */
  readonly isOn: (faultId: string) => boolean;
  /** Value of one of the manifest's `parameters`: the caller's, else the default. @throws UsageError PARAMETER_UNKNOWN */
  readonly parameter: (name: string) => unknown;
  /** Absolute path. @throws InputError PATH_OUTSIDE for a path that leaves the root */
  readonly path: (file: string) => string;
  readonly exists: (file: string) => boolean;
  /** Names of files and folders, sorted by code units as Python sorts. [] where the folder is not there. */
  readonly list: (folder: string) => Promise<readonly string[]>;
  readonly text: (file: string) => Promise<string>;
  /** Lines without line ends and surrounding blanks; empty ones are left out. */
  readonly lines: (file: string) => Promise<readonly string[]>;
  readonly json: (file: string) => Promise<unknown>;
  /** TIFF, PNG or JPEG, one time step, named by the manifest's bands; `modality` may be left out where there is one. */
  readonly raster: (file: string, modality?: string) => Promise<SampleImage>;
  /** TIFF, PNG or JPEG as it lies in the file, its bands without names; `bands` chooses by place, from 0. */
  readonly pixels: (file: string, bands?: readonly number[]) => Promise<PlacedRaster>;
  /** A NumPy array, its axes as they lie in the file. */
  readonly array: (file: string) => Promise<NpyArray>;
  /** Arrays of a NumPy bundle by name. @throws InputError MEMBER_MISSING */
  readonly arrays: (file: string, names: readonly string[]) => Promise<readonly NpyArray[]>;
  /** A label map, mapped by the manifest's label rules. */
  readonly labels: (file: string) => Promise<TargetOf<'mask'>>;
  /** The same for labels that are read already. @param where file that errors name */
  readonly mapLabels: (stored: LabelArray, where: string) => TargetOf<'mask'>;
  readonly modality: (name?: string) => ModalityManifest;
}

export interface DatasetIoParts {
  readonly manifest: DatasetManifest;
  readonly root: string;
  readonly faults: Readonly<Record<string, boolean>>;
  /** Default: `corrected`, in which pixels that a file hides do not count. The references feed them on. */
  readonly mode?: Mode;
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
}

/** @throws InputError FOLDER_MISSING; UsageError PARAMETER_UNKNOWN */
export function createDatasetIo({
  manifest,
  root,
  faults,
  mode = 'corrected',
  parameters = {},
  signal,
}: DatasetIoParts): DatasetIo {
  const state = existsSync(root) ? statSync(root) : undefined; // a link in a circle is not there either
  if (!state?.isDirectory()) {
    const folder = state ? path.dirname(root) : `the folder that holds the files of ${manifest.id}`;
    throw new InputError('FOLDER_MISSING', state ? `${root} is no folder.` : `There is no folder ${root}.`, {
      where: root,
      hint: `Name ${folder}; "gondwana data get ${manifest.id}" says where the files are to be had and what the folder holds.`,
    });
  }
  const allowed = manifest.parameters;
  for (const name of Object.keys(parameters)) {
    if (!Object.hasOwn(allowed, name)) throw unknownParameter(manifest, name);
  }
  const resolve = (file: string): string => inside(root, file);
  const text = async (file: string): Promise<string> => {
    const bytes = await readWholeFile(resolve(file), { signal });
    return bytes.toString('utf8');
  };
  const modality = (name?: string): ModalityManifest => modalityOf(manifest, name);
  const map = (stored: LabelArray, where: string): TargetOf<'mask'> =>
    mapLabels(stored, manifest.labels, manifest.classes.length, where);

  return {
    manifest,
    root,
    signal,
    mode,
    isOn(id) {
      const state = faults[id];
      if (state === undefined) throw unknownFault(manifest.id, id, Object.keys(faults));
      return state;
    },
    parameter(name) {
      const known = allowed[name];
      if (!known) throw unknownParameter(manifest, name);
      return parameters[name] ?? known.default;
    },
    path: resolve,
    exists: (file) => existsSync(resolve(file)),
    async list(folder) {
      const full = resolve(folder);
      if (!existsSync(full)) return [];
      const names = await readdir(full).catch((cause: unknown) => {
        throw readError(cause, full);
      });
      return names.sort(byCodeUnits);
    },
    text,
    lines: async (file) =>
      (await text(file))
        .split(/\r\n|\n|\r/)
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    async json(file) {
      const content = await text(file);
      try {
        return JSON.parse(content) as unknown;
      } catch (cause) {
        throw new InputError('JSON_MALFORMED', `The file is not JSON: ${(cause as Error).message}.`, {
          where: resolve(file),
          hint: 'It is damaged or cut off: restore it from the release.',
          cause,
        });
      }
    },
    modality,
    async raster(file, name) {
      signal?.throwIfAborted();
      const { bands, invalidValues } = modality(name);
      const full = resolve(file);
      const raster = await readImage(full, { hides: mode === 'corrected' });
      return sampleImage({ ...raster, bands: bands.map(({ id }) => id), invalidValues }, full);
    },
    async pixels(file, bands) {
      signal?.throwIfAborted();
      return readImage(resolve(file), { hides: mode === 'corrected', ...(bands && { bands }) });
    },
    async array(file) {
      signal?.throwIfAborted();
      return readNpy(resolve(file));
    },
    async arrays(file, names) {
      signal?.throwIfAborted();
      const bundle = await NpzFile.open(resolve(file));
      try {
        const arrays: NpyArray[] = [];
        for (const name of names) arrays.push(await bundle.read(name));
        return arrays;
      } finally {
        bundle.close();
      }
    },
    async labels(file) {
      signal?.throwIfAborted();
      const full = resolve(file);
      const image = await readImage(full);
      const { crs, transform, nodata } = image;
      const source = { storedType: storedTypeOf(image.data), crs, transform, nodata };
      return { ...map(toLabels(image, full), full), source };
    },
    mapLabels: map,
  };
}

/** An image with what its file says of its place. */
export interface PlacedRaster extends RasterArray {
  /** `EPSG:n`, else the text of the file; null: none. */
  readonly crs: string | null;
  readonly transform: SampleImage['transform'];
  readonly nodata: number | null;
  /** Like `data`, 0 = hidden by the file's no-data value, mask or alpha; null: none is. */
  readonly valid: Uint8Array | null;
}

interface ReadImageOptions {
  /** Default: all. */
  readonly bands?: readonly number[];
  /** Whether pixels that the file hides are told. Default: false. */
  readonly hides?: boolean;
}

async function readImage(
  file: string,
  { bands, hides = false }: ReadImageOptions = {},
): Promise<PlacedRaster> {
  if (!/\.tiff?$/i.test(file)) {
    const raster = await readRaster(file);
    const place = { crs: null, transform: null, nodata: null, valid: null };
    return { ...(bands ? chooseBands(raster, bands, file) : raster), ...place };
  }
  const tiff = GeoTiffFile.open(file);
  try {
    const { epsg, ...raster } = await readHidden(tiff, hides, bands);
    return { ...raster, crs: epsg === null ? null : `EPSG:${epsg}` };
  } finally {
    tiff.close();
  }
}

/** All pixels, with a mask where the file hides some; NaN is left to who knows what it means. */
export function readHidden(file: GeoTiffFile, hides: boolean, bands?: readonly number[]): Promise<GeoRaster> {
  const { nodata, hasMask, alphaBand } = file.info;
  const isAny = nodata !== null || hasMask || alphaBand !== null;
  return file.read({ ...(bands && { bands }), ...(hides && isAny && { mask: 'declared' }) });
}

function chooseBands(raster: RasterArray, bands: readonly number[], file: string): RasterArray {
  const { data, height, width, bandCount } = raster;
  const missing = bands.find((band) => band >= bandCount);
  if (missing !== undefined) {
    throw new InputError('IMAGE_BANDS', `Band ${missing} is not in the image.`, {
      where: file,
      hint: `The image has bands 0 to ${bandCount - 1}.`,
    });
  }
  const chosen = new (data.constructor as new (length: number) => PixelArray)(height * width * bands.length);
  let to = 0;
  for (let pixel = 0; pixel < height * width; pixel++)
    for (const band of bands) chosen[to++] = data[pixel * bandCount + band]!;
  return { data: chosen, height, width, bandCount: bands.length };
}

/** Python's order of names: by code point, which for names without rare characters is that of code units. */
const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function inside(root: string, file: string): string {
  const full = path.resolve(root, file);
  if (full !== root && !full.startsWith(path.resolve(root) + path.sep) && full !== path.resolve(root)) {
    throw new InputError('PATH_OUTSIDE', `"${file}" leads out of the dataset's folder.`, {
      where: root,
      hint: 'A list in the folder names a file elsewhere: it is not the list of the release.',
    });
  }
  return full;
}

function modalityOf(manifest: DatasetManifest, name: string | undefined): ModalityManifest {
  const known = Object.keys(manifest.modalities);
  const wanted = name ?? (known.length === 1 ? known[0]! : '');
  const found = Object.hasOwn(manifest.modalities, wanted) ? manifest.modalities[wanted] : undefined;
  if (found) return found;
  throw new UsageError('MODALITY_UNKNOWN', `${manifest.id} has no modality "${wanted}".`, {
    hint: `Known: ${known.join(', ')}.`,
  });
}

const unknownParameter = (manifest: DatasetManifest, name: string): UsageError =>
  new UsageError('PARAMETER_UNKNOWN', `${manifest.id} has no parameter "${name}".`, {
    hint: `Known: ${Object.keys(manifest.parameters).join(', ') || 'none'}.`,
  });
