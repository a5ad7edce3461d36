import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram, commandNames, forEachCommand } from '../../src/cli/program.js';
import ts from 'typescript';
import { execute, gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const transpile = (text: string): string =>
  ts.transpile(text, { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext });
const guides = readdirSync(path.join(root, 'docs', 'guide')).map((name) => path.join('docs', 'guide', name));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('the study in docs/guide/studies.md', () => {
  it('can be planned as it stands: one encoder, three learning rates, three seeds', async () => {
    const snippet = /```ts\n([\s\S]+?)```/.exec(read('docs/guide/studies.md'))![1]!;
    const file = path.join(folder, 'my-study.ts');
    writeFileSync(file, snippet);
    const { code, stdout, stderr } = await gondwana(['run', file, '--dry-run', '--json'], { cwd: folder });
    expect(code, stderr).toBe(0);
    const plan = JSON.parse(stdout) as { study: string; total: number };
    expect(plan.study).toBe('crowns-learning-rate');
    expect(plan.total).toBe(3 * 3 + 2); // and a trivial predictor for each of two classes
  });
});

describe('the code in docs/guide/datasets.md', () => {
  const snippets = [...read('docs/guide/datasets.md').matchAll(/```ts\n([\s\S]+?)```/g)].map(
    (match) => match[1]!,
  );

  it('opens, reads and takes a share of a dataset as it stands', async () => {
    const layouts = path.join(root, 'test', 'fixtures', 'layouts', 'pangaea', 'hlsburnscars');
    const text = snippets[0]!
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replace("'data/hlsburnscars'", JSON.stringify(layouts));
    const file = path.join(folder, 'open.mjs');
    const told =
      'console.log(JSON.stringify([entries.length, height, width, bands, valid === null, data.length, tenth.length]));';
    writeFileSync(file, transpile(`${text}\n${told}`));
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual([5, 32, 32, ['B2', 'B3', 'B4', 'B8A', 'B11', 'B12'], true, 6144, 1]);
  });

  it('checks, measures and draws a dataset as it stands', async () => {
    const layouts = path.join(root, 'test', 'fixtures', 'layouts', 'pangaea', 'hlsburnscars');
    const text = snippets[2]!
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replace("'data/hlsburnscars'", JSON.stringify(layouts))
      .replace('console.log(check.isFine, check.findings);', '');
    const file = path.join(folder, 'check.mjs');
    const told =
      'console.log(JSON.stringify([check.findings[0].code, manifest.modalities.optical.statistics[0].mean.length, preview.samples.length, map.$schema]));';
    writeFileSync(file, transpile(`${text}\n${told}`));
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual(['SPLIT_COUNT', 6, 2, expect.stringContaining('vega-lite')]);
  });

  it('defines a dataset that reads its own folder', async () => {
    const data = path.join(folder, 'fields');
    const hls = path.join(root, 'test/fixtures/layouts/pangaea/ai4smallfarms/sentinel-2-asia/train');
    mkdirSync(path.join(data, 'train'), { recursive: true });
    copyFileSync(path.join(hls, 'images', 'tile_00.tif'), path.join(data, 'train', 'a.tif'));
    copyFileSync(path.join(hls, 'masks', 'tile_00.tif'), path.join(data, 'train', 'a_labels.tif'));
    const text = snippets[3]!
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replace('classes: [', "labels: { map: { '0': 0, '255': 1 } },\n    classes: [")
      .replace("'data/fields'", JSON.stringify(data));
    const file = path.join(folder, 'own.mjs');
    writeFileSync(
      file,
      transpile(`${text}\nconsole.log((await dataset.read('train', 'a.tif')).target.kind);`),
    );
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    expect(stdout.trim()).toBe('mask');
  });
});

describe('the code in docs/guide/statistics.md', () => {
  it('ranks the runs of a table as it stands', async () => {
    const snippet = /```ts\n([\s\S]+?)```/.exec(read('docs/guide/statistics.md'))![1]!;
    const text = snippet
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replace("'runs.csv'", JSON.stringify(path.join(root, 'test/fixtures/cases/tables/results_clean.csv')))
      .replaceAll('display.table', 'shown.push');
    const file = path.join(folder, 'rank.mjs');
    const told = 'console.log(JSON.stringify([shown[0].length, shown[1].map((row) => row.place)]));';
    writeFileSync(file, transpile(`const shown = [];\n${text}\n${told}`));
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual([0, [1, 2, 3, 4]]);
  });
});

describe('the code in docs/guide/encoders.md', () => {
  const snippets = [...read('docs/guide/encoders.md').matchAll(/```ts\n([\s\S]+?)```/g)].map(
    (match) => match[1]!,
  );

  it('opens, widens and defines encoders as it stands', async () => {
    const told = [
      'console.log(JSON.stringify([maps.map(({ shape }) => shape), vector.length]));',
      'console.log(JSON.stringify(taken));',
      'console.log(JSON.stringify(own.id));',
      'console.log(JSON.stringify(opened.id));',
      'console.log(JSON.stringify(exported.manifest.family));',
    ];
    const entry = JSON.stringify(path.join(root, 'dist', 'encoders', 'index.js'));
    const zod = JSON.stringify(path.join(root, 'node_modules', 'zod', 'index.js'));
    // each snippet by itself, its imports in front
    const parts = snippets.map((snippet, index) => {
      const text = snippet
        .replace(/^import (\{[^}]+\}) from '([^']+)';$/gm, 'const $1 = await import("$2");')
        .replaceAll('"gondwana/encoders"', entry)
        .replaceAll('"zod"', zod);
      return `{\n${text}\n${told[index]}\n}`;
    });
    const file = path.join(folder, 'encoders.mjs');
    writeFileSync(file, transpile(parts.join('\n')));
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      [
        [
          [16, 24, 64],
          [8, 12, 128],
          [4, 6, 256],
          [2, 3, 512],
        ],
        512,
      ],
      ['B2', 'B3', 'B4', 'B8'],
      'my-encoder',
      'my-resnet',
      'onnx',
    ]);
  });
});

describe('the code in docs/guide/preprocessing.md', () => {
  it('gives a sample as a model gets it, and its record, as it stands', async () => {
    const layouts = path.join(root, 'test', 'fixtures', 'layouts', 'pangaea', 'hlsburnscars');
    const text = /```ts\n([\s\S]+?)```/
      .exec(read('docs/guide/preprocessing.md'))![1]!
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replace("'data/hlsburnscars'", JSON.stringify(layouts));
    const file = path.join(folder, 'preprocess.mjs');
    const told =
      'const { height, bands, filledBands, normalization } = ready.images.optical;\n' +
      'console.log(JSON.stringify([height, bands, filledBands, normalization.by, JSON.parse(recorded).length]));';
    writeFileSync(file, transpile(`${text}\n${told}`));
    const { code, stdout, stderr } = await execute(process.execPath, [file]);
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual([24, ['B4', 'B3', 'B2', 'B08'], ['B08'], 'z-score', 5]);
  });
});

describe('the code in docs/guide/published.md', () => {
  it('reads a table and compares a store, here an empty one, as it stands', async () => {
    const text = /```ts\n([\s\S]+?)```/
      .exec(read('docs/guide/published.md'))![1]!
      .replace("'gondwana'", JSON.stringify(path.join(root, 'dist', 'index.js')))
      .replaceAll(/console\.log\(.*\);/g, '');
    const file = path.join(folder, 'published.mjs');
    writeFileSync(file, transpile(`${text}\nconsole.log(JSON.stringify([table.numRows(), rows.length]));`));
    const { code, stdout, stderr } = await execute(process.execPath, [file], { cwd: folder });
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual([168, 154]);
  });
});

describe('command lines in the documents', () => {
  const program = buildProgram('0', () => undefined);
  const names = commandNames(program);
  const options = new Set<string>();
  forEachCommand(program, (command) => {
    for (const option of command.options) options.add(option.long!);
  });

  it.each(['README.md', ...guides])('%s names commands and options that exist', (file) => {
    const lines = [...read(file).matchAll(/(?:npx gondwana|`gondwana) ([^`#\n;]+)/g)].map((match) =>
      match[1]!.trim(),
    );
    for (const line of lines) {
      const words = line.split(/\s+/);
      const isKnown = names.includes(words[0]!) || names.includes(words.slice(0, 2).join(' '));
      const isGeneral = line.startsWith('--') || line.startsWith('COMMAND');
      expect(isKnown || isGeneral, line).toBe(true);
      const unknown = words.filter(
        (word) => word.startsWith('--') && !['--help', '--version'].includes(word) && !options.has(word),
      );
      expect(unknown, line).toEqual([]);
    }
  });
});
