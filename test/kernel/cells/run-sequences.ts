import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type {
  CellEngine,
  CellEngineName,
  CellOutcome,
  LanguageOptions,
  OriginalPosition,
  Strictness,
} from '../../../src/kernel/cell-engine.js';
import { notebookFiles, type CellStep, type Sequence } from './sequence.js';
import { sequences } from './sequences.js';

/** An engine as the kernel would set it up, without Jupyter. */
export interface TestedEngine {
  readonly engine: CellEngine;
  setStrictness(level: Strictness): void;
  /** What the kernel does before every cell. */
  beginCell?(): void;
  close?(): void | Promise<void>;
}

export type EngineFactory = (options: LanguageOptions) => TestedEngine | Promise<TestedEngine>;

/** Runs every sequence on an engine; one that it cannot do, and says why, is expected to fail. */
export function runSequences(name: CellEngineName, create: EngineFactory): void {
  describe(`cells on the engine ${name}`, () => {
    let tested: TestedEngine;
    let folder: string;

    beforeAll(async () => {
      folder = createNotebookFolder();
      tested = await create({
        folder,
        projectRoot: folder,
        strictness: 'loose',
        globals: path.join(folder, 'globals.d.ts'),
      });
    }, 60_000);

    afterAll(async () => {
      await tested?.close?.();
      rmSync(folder, { recursive: true, force: true });
    });

    beforeEach(() => tested.engine.reset());

    for (const sequence of sequences) {
      const reason = name === 'tslab' ? sequence.tslab : undefined;
      if (reason === undefined) test(sequence.name, () => runSequence(tested, sequence));
      else {
        test(`${sequence.name} (not here: ${reason})`, async () => {
          await expect(runSequence(tested, sequence)).rejects.toThrow();
        });
      }
    }
  });
}

let cellCount = 0;

async function runSequence(tested: TestedEngine, { cells, strictness = 'loose' }: Sequence): Promise<void> {
  tested.setStrictness(strictness);
  const first = cellCount + 1;
  for (const step of cells) {
    const count = ++cellCount;
    tested.beginCell?.();
    const outcome = await tested.engine.execute({ id: `cell ${count}`, count, code: step.code });
    expectOutcome(tested.engine, step, outcome, first, count);
  }
}

function expectOutcome(
  engine: CellEngine,
  step: CellStep,
  outcome: CellOutcome,
  first: number,
  count: number,
): void {
  const where = `cell ${count - first + 1}: ${step.code}`;
  if ('value' in step) {
    expect(outcome, where).toEqual({ status: 'ok', hasValue: true, value: step.value });
  } else if ('silent' in step) {
    expect(outcome, where).toMatchObject({ status: 'ok', hasValue: false });
  } else if ('refused' in step) {
    expect(outcome.status, where).toBe('refused');
    if (outcome.status !== 'refused') return;
    const { code, line, column } = step.refused;
    const error = outcome.diagnostics.find(({ severity }) => severity === 'error')!;
    if (code !== undefined) expect([code].flat(), `${where}: ${error.message}`).toContain(error.code);
    if (line !== undefined) expect(error.line, where).toBe(line);
    if (column !== undefined) expect(error.column, where).toBe(column);
  } else {
    expect(outcome.status, `${where}: ${JSON.stringify(outcome)}`).toBe('thrown');
    if (outcome.status !== 'thrown') return;
    const { name, message, line, column, cell } = step.throws;
    expect(nameOf(outcome.error), where).toEqual(name);
    const text = outcome.error instanceof Error ? outcome.error.message : String(outcome.error);
    if (message instanceof RegExp) expect(text, where).toMatch(message);
    else if (message !== undefined) expect(text, where).toBe(message);
    if (line === undefined) return;
    const place = placeOf(engine, outcome.error);
    expect(place, `${where}: ${(outcome.error as Error).stack}`).toMatchObject({
      source: `Cell [${cell === undefined ? count : first + cell - 1}]`,
      line,
      ...(column !== undefined && { column }),
    });
  }
}

const nameOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.name : thrown === null ? 'null' : typeof thrown;

/** The first frame of the stack that lies in a cell. */
function placeOf(engine: CellEngine, error: unknown): OriginalPosition | undefined {
  for (const line of String((error as Error).stack).split('\n')) {
    const match = /\(?([^\s()]+):(\d+):(\d+)\)?$/.exec(line);
    const place = match && engine.originalPosition(match[1]!, Number(match[2]), Number(match[3]));
    if (place) return place;
  }
  return undefined;
}

/** A folder with the files that cells import; the caller removes it. */
export function createNotebookFolder(): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'gondwana-cells-')));
  const files = { ...notebookFiles, 'globals.d.ts': 'export {};\n' };
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return folder;
}
