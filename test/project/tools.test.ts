import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { execute } from '../support/command-line.js';
import { root } from '../support/needs.js';

const tool = <T>(file: string): Promise<T> =>
  import(pathToFileURL(path.join(root, 'tools', file)).href) as Promise<T>;

describe('set-up', () => {
  it('refuses Node before 20.19 and takes 20.19, 22 and 24', async () => {
    const { checkNode } = await tool<{ checkNode: (version: string) => void }>('set-up.mjs');
    for (const version of ['18.20.4', '20.18.3'])
      expect(() => checkNode(version)).toThrow('20.19 or newer is needed');
    for (const version of ['20.19.0', '22.1.0', '24.2.0']) expect(() => checkNode(version)).not.toThrow();
  });

  it('needs no package: the tools import only node: modules, each other and dist/', async () => {
    const { stdout } = await execute('grep', [
      '-rhoE',
      `(from |import\\()['"][^'"]+['"]`,
      path.join(root, 'tools'),
      '--include=*.mjs',
    ]);
    const names = stdout
      .trim()
      .split('\n')
      .map((line) => /['"](.+)['"]/.exec(line)![1]!);
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => !/^(node:|\.\.?\/)/.test(name))).toEqual([]);
  });

  it('asks the compiled modules only for names that they have, benches too', () => {
    const files = ['tools', 'bench'].flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.mjs') && !name.startsWith('.venv'))
        .map((name) => path.join(folder, name)),
    );
    const asked = files
      .flatMap((file) => {
        const text = readFileSync(path.join(root, file), 'utf8');
        const loads = text.matchAll(
          /(?:import|const)\s*\{([^}]+)\}\s*(?:from|=\s*await import\()\s*['"](\.[^'"]*\/dist\/[^'"]+)\.js['"]/g,
        );
        return [...loads].flatMap(([, names, module]) =>
          names!.split(',').map((name) => ({ file, module: module!, name: name.trim().split(/\s|:/)[0]! })),
        );
      })
      .filter(({ name }) => name !== '');
    expect(asked.length).toBeGreaterThan(30);
    const missing = asked.filter(({ file, module, name }) => {
      const compiled = path.resolve(root, path.dirname(file), module);
      const source = `${path.join(root, 'src', path.relative(path.join(root, 'dist'), compiled))}.ts`;
      const declared = new RegExp(
        `export\\s+(?:async\\s+)?(?:const|function\\*?|class)\\s+${name}\\b|export\\s*\\{[^}]*\\b${name}\\b`,
      );
      return !existsSync(source) || !declared.test(readFileSync(source, 'utf8'));
    });
    expect(missing).toEqual([]);
  });

  it('compiles with TypeScript 5.9, whatever other compiler is installed', async () => {
    const { stdout } = await execute(process.execPath, ['node_modules/typescript/bin/tsc', '--version'], {
      cwd: root,
    });
    expect(stdout).toMatch(/^Version 5\.9\./);
    const { compiler } = await tool<{ compiler: string }>('lib/build.mjs');
    expect(compiler).toBe(path.join('node_modules', 'typescript', 'bin', 'tsc'));
  });
});

describe('counting tests', () => {
  it('counts a file that does not load and names tests that did not run', async () => {
    const { readVitestReport } = await tool<{ readVitestReport: (file: string) => unknown }>(
      'lib/checks.mjs',
    );
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'gondwana-report-')), 'report.json');
    const test = (fullName: string, status: string): object => ({ fullName, status });
    const suite = (name: string, message: string, assertionResults: object[]): object => ({
      name: path.join(root, name),
      status: 'failed',
      message,
      startTime: 1000,
      endTime: name.endsWith('b.test.ts') ? 4600 : 3000,
      assertionResults,
    });
    const testResults = [
      suite('test/a.test.ts', '', [
        test('a holds', 'passed'),
        test('a holds again', 'passed'),
        test('a fails', 'failed'),
        test('a needs a browser', 'skipped'),
      ]),
      suite('test/b.test.ts', 'Cannot find module\n    at somewhere', []),
    ];
    writeFileSync(file, JSON.stringify({ testResults }));
    const counts = readVitestReport(file);
    rmSync(path.dirname(file), { recursive: true });
    expect(counts).toEqual({
      passed: 2,
      failed: ['test/a.test.ts: a fails'],
      broken: ['test/b.test.ts: Cannot find module'],
      skipped: ['a needs a browser'],
      slowest: ['4 s: test/b.test.ts', '2 s: test/a.test.ts'],
    });
  });
});

describe('numbers in README', () => {
  const csv = [
    'run,arm,seed,split,place,evaluation,metric,class,value,seconds',
    'r1,"frozen, z-score",0,test,all,tiles,mIoU,,0.6,10',
    'r2,"frozen, z-score",1,test,all,tiles,mIoU,,0.7,20',
    'r2,"frozen, z-score",1,test,all,tiles,IoU,crown,0.1,20',
    'r2,"frozen, z-score",1,test,OSBS 029,tiles,mIoU,,0.9,20',
    'r3,all crown,,test,all,tiles,mIoU,,,0.5',
    '',
  ].join('\n');

  it('are means with intervals of the overall mIoU, from the table of the study', async () => {
    const { readCsv } = await tool<{ readCsv: (text: string) => object[] }>('lib/csv.mjs');
    const { scoreTable } = await tool<{ scoreTable: (rows: object[]) => Promise<string> }>(
      'readme-numbers.mjs',
    );
    const lines = (await scoreTable(readCsv(csv))).split('\n');
    // two seeds 0.1 apart: s / √2 = 0.05, t(0.95, 1) = 12.706
    expect(lines[2]).toBe('| frozen, z-score | 2 | 0.650 ± 0.635 | – | – | 15 |');
    expect(lines[3]).toBe('| all crown | 1 | – | – | – | 1 |');
  });

  it('go between their marks and nowhere else', async () => {
    const { fill } = await tool<{ fill: (text: string, name: string, content: string) => string }>(
      'readme-numbers.mjs',
    );
    const readme = readFileSync(path.join(root, 'README.md'), 'utf8');
    const filled = fill(readme, 'quickstart', 'NUMBERS');
    expect(filled).toContain('<!-- numbers:quickstart -->\n\nNUMBERS\n\n<!-- /numbers -->');
    expect(fill(filled, 'quickstart', 'NUMBERS')).toBe(filled);
    expect(() => fill(readme, 'other', '')).toThrow('numbers:other');
  });
});
