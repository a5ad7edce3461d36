import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { losses } from '../../src/losses/create-loss.js';
import { scoreKinds } from '../../src/metrics/score-kinds.js';
import { execute } from '../support/command-line.js';
import { root } from '../support/needs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-metrics-'));
afterAll(() => rmSync(folder, { recursive: true }));

const guide = readFileSync(path.join(root, 'docs', 'guide', 'metrics.md'), 'utf8');

describe('docs/guide/metrics.md', () => {
  it('runs as it stands', async () => {
    const snippet = /```ts\n([\s\S]+?)```/.exec(guide)![1]!;
    const text = snippet
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replace(/console\.log\((.*)\);/, 'console.log(JSON.stringify([$1]));');
    const file = path.join(folder, 'metrics.mjs');
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext };
    writeFileSync(file, ts.transpile(text, options));
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    const none = { mIoU: null, mF1: null, mPrecision: null, mRecall: null, mAcc: null };
    expect(JSON.parse(stdout)).toEqual([
      (1 / 2 + 2 / 3) / 2,
      [1 / 2, 2 / 3, null],
      [1, 3, 0],
      [`majority ${1 / 4 / 2}`, `background ${1 / 4 / 2}`],
      true,
      none,
    ]);
  });

  it('names every loss and every score', () => {
    const missing = [...Object.keys(losses), ...Object.keys(scoreKinds)].filter(
      (name) => !guide.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
  });
});
