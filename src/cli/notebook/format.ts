import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { InputError } from '../../errors.js';
import { requireFile } from '../../io/regular-file.js';

/** A notebook of nbformat 4 in memory: texts are whole, not lists of lines. Members not named here are kept. */
export interface Notebook {
  cells: NotebookCell[];
  metadata: Record<string, unknown>;
  nbformat: number;
  nbformat_minor: number;
}

export type NotebookCell = CodeCell | TextCell;

export interface CodeCell {
  cell_type: 'code';
  id: string;
  source: string;
  metadata: Record<string, unknown>;
  outputs: Output[];
  execution_count: number | null;
}

export interface TextCell {
  cell_type: 'markdown' | 'raw';
  id: string;
  source: string;
  metadata: Record<string, unknown>;
  /** Images of a Markdown cell: name → bundle. */
  attachments?: Record<string, Bundle>;
}

export type Bundle = Record<string, unknown>;

export type Output = StreamOutput | DataOutput | ErrorOutput;

export interface StreamOutput {
  output_type: 'stream';
  name: string;
  text: string;
}

export interface DataOutput {
  output_type: 'display_data' | 'execute_result';
  data: Bundle;
  metadata: Record<string, unknown>;
  /** Of an `execute_result` alone. */
  execution_count?: number | null;
}

export interface ErrorOutput {
  output_type: 'error';
  ename: string;
  evalue: string;
  traceback: string[];
}

const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]);
const object = z.record(z.string(), z.unknown());
/** Texts may be lists of lines; JSON may be anything. */
const bundle = object.transform((data): Bundle =>
  Object.fromEntries(
    Object.entries(data).map(([mime, value]) => [
      mime,
      !isJsonMime(mime) && Array.isArray(value) ? value.join('') : value,
    ]),
  ),
);

const output = z.discriminatedUnion('output_type', [
  z.looseObject({ output_type: z.literal('stream'), name: z.string(), text }),
  z.looseObject({ output_type: z.literal('display_data'), data: bundle, metadata: object.default({}) }),
  z.looseObject({
    output_type: z.literal('execute_result'),
    data: bundle,
    metadata: object.default({}),
    execution_count: z.number().nullable().default(null),
  }),
  z.looseObject({
    output_type: z.literal('error'),
    ename: z.string(),
    evalue: z.string(),
    traceback: z.array(z.string()),
  }),
]);

const common = { id: z.string().optional(), source: text, metadata: object.default({}) };
const textCell = { ...common, attachments: z.record(z.string(), bundle).optional() };
const cell = z.discriminatedUnion('cell_type', [
  z.looseObject({
    ...common,
    cell_type: z.literal('code'),
    outputs: z.array(output).default([]),
    execution_count: z.number().nullable().default(null),
  }),
  z.looseObject({ ...textCell, cell_type: z.literal('markdown') }),
  z.looseObject({ ...textCell, cell_type: z.literal('raw') }),
]);

const notebook = z.looseObject({
  cells: z.array(cell),
  metadata: object.default({}),
  nbformat: z.literal(4),
  nbformat_minor: z.number().int().default(0),
});

/**
 * Reads a notebook and brings it to nbformat 4.5: every cell has an id.
 * @throws InputError FILE_MISSING, NOT_A_FILE, NO_PERMISSION, NOTEBOOK_MALFORMED, NOTEBOOK_VERSION
 */
export async function readNotebook(file: string): Promise<Notebook> {
  await requireFile(file);
  return parseNotebook(await readFile(file, 'utf8'), file);
}

/** @throws InputError NOTEBOOK_MALFORMED, NOTEBOOK_VERSION */
export function parseNotebook(content: string, where: string): Notebook {
  const malformed = (reason: string, cause?: unknown): InputError =>
    new InputError('NOTEBOOK_MALFORMED', `This is no notebook: ${reason}`, {
      where,
      hint: 'Name a file that Jupyter has saved (.ipynb).',
      cause,
    });
  let value: unknown;
  try {
    value = JSON.parse(content.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw malformed((cause as Error).message, cause);
  }
  const version = (value as { nbformat?: unknown } | null)?.nbformat;
  if (typeof version === 'number' && version !== 4) {
    throw new InputError('NOTEBOOK_VERSION', `The notebook is of format ${version}; 4 is read.`, {
      where,
      hint: 'Open it in JupyterLab and save it: it is then of format 4.',
    });
  }
  const result = notebook.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0]!;
    throw malformed(`${issue.path.join('.') || 'the file'}: ${issue.message}.`);
  }
  const { cells, ...rest } = result.data;
  const ids = new Set<string>();
  const withIds = cells.map((entry) => {
    const isFree = entry.id !== undefined && /^[A-Za-z0-9_-]{1,64}$/.test(entry.id) && !ids.has(entry.id);
    const id = isFree ? entry.id! : newCellId(ids);
    ids.add(id);
    return { ...entry, id };
  });
  return {
    ...rest,
    cells: withIds as NotebookCell[],
    nbformat_minor: Math.max(5, result.data.nbformat_minor),
  };
}

/** An id that is not among `taken`. */
export function newCellId(taken: ReadonlySet<string>): string {
  for (;;) {
    const id = randomBytes(4).toString('hex');
    if (!taken.has(id)) return id;
  }
}

export const newCodeCell = (source: string, id: string, tags: readonly string[] = []): CodeCell => ({
  cell_type: 'code',
  id,
  source,
  metadata: tags.length > 0 ? { tags: [...tags] } : {},
  outputs: [],
  execution_count: null,
});

export const tagsOf = (entry: NotebookCell): readonly string[] => {
  const { tags } = entry.metadata;
  return Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [];
};

/** `application/json` and `application/…+json`: their values are kept as they are. */
export const isJsonMime = (mime: string): boolean => /^application\/(.*\+)?json$/.test(mime);

/** The notebook's file as Jupyter writes it: names sorted, one blank of indent, texts as lists of lines. */
export function notebookText(content: Notebook): string {
  const cells = content.cells.map((entry) => {
    const written: Record<string, unknown> = { ...entry, source: lines(entry.source) };
    if (entry.cell_type === 'code') written.outputs = entry.outputs.map(writtenOutput);
    else if (entry.attachments) {
      written.attachments = Object.fromEntries(
        Object.entries(entry.attachments).map(([name, data]) => [name, writtenBundle(data)]),
      );
    }
    return written;
  });
  return `${JSON.stringify(sorted({ ...content, cells }), null, 1)}\n`;
}

function writtenOutput(entry: Output): object {
  if (entry.output_type === 'stream') return { ...entry, text: lines(entry.text) };
  return 'data' in entry ? { ...entry, data: writtenBundle(entry.data) } : entry;
}

const writtenBundle = (data: Bundle): Bundle =>
  Object.fromEntries(
    Object.entries(data).map(([mime, value]) => [
      mime,
      !isJsonMime(mime) && typeof value === 'string' ? lines(value) : value,
    ]),
  );

/** Lines with their line breaks. */
const lines = (content: string): string[] => content.match(/[^\n]*\n|[^\n]+/g) ?? [];

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
