import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHdf5Case } from '../../../src/parity/cases/hdf5.js';
import type { CaseEntry } from '../../../src/parity/cases/judge.js';
import { runNpyCase } from '../../../src/parity/cases/npy.js';
import { runTableCase } from '../../../src/parity/cases/tables.js';
import { runZarrCase } from '../../../src/parity/cases/zarr.js';
import { root } from '../../support/needs.js';

const folder = path.join(root, 'test/fixtures/cases');
const { cases } = JSON.parse(readFileSync(path.join(folder, 'expected.json'), 'utf8')) as {
  cases: CaseEntry[];
};
type Runner = (file: string, entry: never) => Promise<string | undefined>;
const runners: Record<string, Runner> = {
  hdf5: runHdf5Case,
  npy: runNpyCase,
  tables: runTableCase as Runner,
  zarr: runZarrCase,
};
/** These belong to metrics, whose own tests look at them. */
const isElsewhere = (file: string): boolean => /\/metric_cases/.test(file);

for (const [area, run] of Object.entries(runners)) {
  describe(`input cases: ${area}`, () => {
    const own = cases.filter(({ file }) => file.startsWith(`${area}/`) && !isElsewhere(file));
    it.each(own.map((entry) => [entry.file, entry] as const))('%s', async (file, entry) => {
      expect(await run(path.join(folder, file), entry as never)).toBeUndefined();
    });
  });
}

describe('the judge of input cases', () => {
  const entry = cases.find(({ file }) => file === 'npy/c_order_f4.npy')!;
  const file = path.join(folder, entry.file);

  it('names a number that differs', async () => {
    expect(await runNpyCase(file, { ...entry, sum: 1 } as never)).toMatch(/^sum is 163\.29\S+, not 1$/);
    expect(await runNpyCase(file, { ...entry, shape: [2, 9, 7] } as never)).toBe(
      'the shape is [2, 7, 9], not [2, 9, 7]',
    );
  });

  it('wants an error where one is due, of the right kind', async () => {
    const due = { ...entry, expect: 'error', errorKind: 'UNSAFE' } as never;
    expect(await runNpyCase(file, due)).toBe('it was read, and UNSAFE is due');
    const bad = cases.find((other) => other.file === 'npy/bad_truncated.npy')!;
    expect(await runNpyCase(path.join(folder, bad.file), { ...bad, errorKind: 'UNSAFE' } as never)).toMatch(
      /^UNSAFE is due, but: TRUNCATED/,
    );
    expect(await runNpyCase(path.join(folder, bad.file), { ...bad, expect: 'ok' } as never)).toMatch(
      /^it should be read, but: TRUNCATED/,
    );
  });

  it('counts a file without code as failed', async () => {
    expect(await runTableCase('x', { ...entry, file: 'tables/unknown.csv' })).toBe(
      'there is no code for this yet',
    );
  });
});
