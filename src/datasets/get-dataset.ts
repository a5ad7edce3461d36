import { cp } from 'node:fs/promises';
import path from 'node:path';
import { cellSignal } from '../display/kernel-link.js';
import type { MimeBundle } from '../display/mime.js';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import { InputError } from '../errors.js';
import { downloadFile, type DownloadedFile, type DownloadOptions } from '../io/download/download.js';
import { writeError } from '../io/file-errors.js';
import { makeFolder } from '../io/make-folder.js';
import { resolveDatasetId } from '../manifests/dataset-ids.js';
import { readDatasetManifest, type ReleaseFile } from '../manifests/dataset-manifest.js';
import { readSceneDatasetManifest } from '../manifests/scene-manifest.js';
import { fetchDataset } from './loaded-dataset.js';

/** Where a dataset is to be had, and what has to be done for it. */
export interface DatasetSource {
  readonly id: string;
  readonly title: string;
  /** `open`, `registration`, `not released`, or that with what is missing. */
  readonly access: string;
  readonly homepage: string;
  readonly licence: string;
  readonly citation: string;
  /** In words; null: not stated. */
  readonly size: string | null;
  readonly files: readonly ReleaseFile[];
  /** `package`: a package of the Python Package Index brings it; `files`: they are fetched without an account; `by hand`. */
  readonly way: 'package' | 'files' | 'by hand';
  /** What a person does, in order. */
  readonly steps: readonly string[];
  /** What the folder holds then, in words, and its paths by role. */
  readonly layout: { readonly summary: string; readonly files: Readonly<Record<string, string>> };
}

/**
 * Where a dataset is to be had. Nothing is fetched.
 * @param name id or alias. @throws InputError MANIFEST_UNKNOWN; UsageError DATASET_AMBIGUOUS
 */
export function datasetSource(name: string): DatasetSource {
  const { id, title, release, homepage, licence, citation, layout } = readDatasetManifest(
    resolveDatasetId(name),
  );
  const { access, size, files, wheel } = release;
  const isFetched = files.length > 0 && files.every(({ url }) => url !== null);
  const way = wheel ? 'package' : isFetched ? 'files' : 'by hand';
  const source: DatasetSource = {
    ...{ id, title, access, homepage, licence, citation, size, files, way },
    steps: stepsOf(id, way, homepage, access, files),
    layout: { summary: layout.summary, files: layout.files },
  };
  return showAs(source, { bundle: sourceBundle });
}

export const sourceBundle = (source: DatasetSource): MimeBundle => {
  const paths = Object.entries(source.layout.files).map(([role, pattern]) => ({
    holds: role,
    path: pattern,
  }));
  const tables = [{ rows: source.files.map(fileRow) }, { rows: paths, caption: 'Unpacked' }];
  return sheetBundle({
    title: `${source.title}: where it is to be had`,
    facts: [
      ['id', source.id],
      ['access', source.access],
      ['homepage', source.homepage],
      ['licence', source.licence],
      ['cite', source.citation],
      ['size', source.size ?? 'not stated'],
      ['unpacked', source.layout.summary],
    ],
    tables: tables.filter(({ rows }) => rows.length > 0),
    notes: source.steps.map((step, place) => `${place + 1}. ${step}`),
  });
};

const fileRow = ({ name, bytes, sha256, md5, url }: ReleaseFile): object => ({
  file: name,
  bytes,
  checksum: sha256 ? `sha256 ${sha256}` : md5 ? `md5 ${md5}` : null,
  ...(url !== null && { address: url }),
});

function stepsOf(
  id: string,
  way: DatasetSource['way'],
  homepage: string,
  access: string,
  files: readonly ReleaseFile[],
): string[] {
  const check = `gondwana data check ${id} DIR`;
  if (way === 'package') return [`gondwana data get ${id}`];
  const unpack = files.flatMap(({ name }) => unpackLine(path.basename(name)) ?? []);
  if (way === 'files') return [`gondwana data get ${id} --out DIR`, ...unpack, check];
  const account = access.startsWith('registration') ? ['Register at the homepage and accept its terms.'] : [];
  const names = files.map(({ name }) => name);
  const gone = access.startsWith('not released') ? ['The files are not released: ask the authors.'] : [];
  return [
    ...gone,
    ...account,
    `Download ${names.length > 0 ? names.join(', ') : 'the files'} into a folder DIR: ${homepage}.`,
    ...unpack,
    check,
  ];
}

/** Undefined for what is read as it is. */
function unpackLine(name: string): string | undefined {
  if (/\.(?:tar|tar\.gz|tgz)$/.test(name)) return `tar -xf DIR/${name} -C DIR`;
  return name.endsWith('.zip') ? `unzip DIR/${name} -d DIR` : undefined;
}

export interface GetDatasetOptions extends Omit<DownloadOptions, 'onProgress'> {
  /** Share that is done where it is known, else 0, and what is being done. */
  readonly onProgress?: (share: number, what: string) => void;
}

export interface FetchedDataset {
  readonly id: string;
  readonly folder: string;
  readonly files: readonly DownloadedFile[];
  /** What is still to be done: unpacking, checking. */
  readonly steps: readonly string[];
}

/**
 * Downloads a dataset's files into a folder, one after the other. What is there already is checked and kept; what a stopped
 * call has brought is continued.
 * @throws InputError DATASET_BY_HAND where its host gives nothing without an account; what `downloadFile` throws
 */
export async function getDataset(
  name: string,
  folder: string,
  options: GetDatasetOptions = {},
): Promise<FetchedDataset> {
  const source = datasetSource(name);
  const { id, files, way, steps } = source;
  const signal = cellSignal(options.signal);
  const { onProgress } = options;
  if (way === 'by hand') throw byHand(source);
  if (way === 'package') {
    const cached = await fetchDataset(readSceneDatasetManifest(id), {
      ...(signal && { signal }),
      ...(onProgress && { onProgress }),
    });
    await makeFolder(folder);
    await cp(cached, folder, { recursive: true }).catch((cause: unknown) => {
      throw writeError(cause, folder);
    });
    return { id, folder, files: [], steps: [] };
  }
  const fetched: DownloadedFile[] = [];
  for (const [place, { name: path_, url, sha256, md5, bytes }] of files.entries()) {
    const wanted = { url: url!, file: path.join(folder, path.basename(path_)), sha256, md5, bytes };
    fetched.push(
      await downloadFile(wanted, {
        ...options,
        ...(signal && { signal }),
        onProgress: (done, total, what) =>
          onProgress?.(
            (place + (total ? done / total : 0)) / files.length,
            `${what} ${megabytes(done, total)}`,
          ),
      }),
    );
  }
  return { id, folder, files: fetched, steps: steps.slice(1).map((step) => step.replaceAll('DIR', folder)) };
}

const megabytes = (done: number, total: number | null): string =>
  total === null
    ? `${Math.round(done / 1e6)} MB`
    : `${Math.round(done / 1e6)} of ${Math.round(total / 1e6)} MB`;

const byHand = ({ id, homepage, access, steps }: DatasetSource): InputError =>
  new InputError('DATASET_BY_HAND', `${id} cannot be fetched by itself (${access}).`, {
    where: homepage,
    hint: steps.join(' '),
  });
