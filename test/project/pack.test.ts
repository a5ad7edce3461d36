import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../support/command-line.js';
import { jupyter, root } from '../support/needs.js';
import { executeNotebook, textOf } from '../support/notebook.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-pack-'));
const project = path.join(folder, 'project');
const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

/** Blocks of README in a language, in order. */
const blocks = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]+?)\`\`\``, 'g'))].map((match) => match[1]!);

async function shell(line: string): Promise<string> {
  const { code, stdout, stderr } = await execute('bash', ['-c', line], { cwd: project });
  if (code !== 0) throw new Error(`${line}\nexit code ${code}\n${stdout}\n${stderr}`);
  return stdout;
}

/** Packs the package and installs it in an empty project by the lines that README gives. */
beforeAll(async () => {
  mkdirSync(project);
  const packed = await execute('npm', ['pack', '--pack-destination', folder], { cwd: root });
  expect(packed.code, packed.stderr).toBe(0);
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'))!;
  const manifest = JSON.parse(blocks('json')[0]!) as { dependencies: Record<string, string> };
  manifest.dependencies.gondwana = `file:../${tarball}`;
  writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
  await shell(installLine());
}, 600_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installLine = (): string => /^npm install .*$/m.exec(blocks('bash').join('\n'))![0].replace(/#.*/, '');

describe('the packed package in an empty project', () => {
  it('installs by README, with one copy of TensorFlow.js', () => {
    expect(installLine()).toContain('--ignore-scripts');
    const copies = readdirSync(path.join(project, 'node_modules'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((name) => /@tensorflow\/tfjs-core\/package\.json$/.test(name));
    expect(copies).toHaveLength(1);
  });

  it('holds what it needs and nothing of tests or tools', () => {
    const names = readdirSync(path.join(project, 'node_modules', 'gondwana'));
    for (const name of [
      'dist',
      'data-manifests',
      'native',
      'studies',
      'kernels',
      'notebooks',
      'docs',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
    ]) {
      expect(names).toContain(name);
    }
    for (const name of ['src', 'test', '.venv', 'results', 'bench']) expect(names).not.toContain(name);
  });

  it('has every file that its README links to, and no source map without its source', () => {
    const own = path.join(project, 'node_modules', 'gondwana');
    const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(5);
    expect(links.filter((link) => !existsSync(path.join(own, link)))).toEqual([]);
    const names = readdirSync(path.join(own, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(names.filter((name) => /\.map$|\.code/.test(name))).toEqual([]);
    expect(names.filter((name) => name.endsWith('.bundle.cjs'))).toHaveLength(2);
  });

  it('answers `gondwana doctor` with exit code 0', async () => {
    const found = JSON.parse(await shell('npx gondwana doctor --json')) as { ok: boolean; font: string };
    expect(found.ok).toBe(true);
    expect(found.font).toContain('DejaVuSans.ttf');
  });

  it('plans the quickstart study', async () => {
    const plan = JSON.parse(await shell('npx gondwana run quickstart --dry-run --json')) as { total: number };
    expect(plan.total).toBe(17);
  });

  it('can be imported and required', async () => {
    expect(await shell(`node -e "console.log(typeof require('gondwana').loadStudy)"`)).toContain('function');
    expect(
      await shell(`node -e "import('gondwana').then((g) => console.log(typeof g.loadStudy))"`),
    ).toContain('function');
  });

  it.skipIf(!jupyter.isMet)('works in cells of plain tslab, by the kernel it ships', async () => {
    // the cell of README up to the run, which computes for minutes
    const lines = blocks('ts')[0]!.trimEnd().split('\n');
    const runs = lines.findIndex((line) => line.includes('.run('));
    expect(runs).toBeGreaterThan(1);
    const cells = [lines.slice(0, runs).join('\n'), `console.log(study.name, typeof summaryRows);`].map(
      (source) => ({
        cell_type: 'code',
        source,
        metadata: {},
        outputs: [],
        execution_count: null,
      }),
    );
    const notebook = path.join(project, 'cell.ipynb');
    const kernelspec = { name: 'tslab', display_name: 'tslab', language: 'typescript' };
    writeFileSync(
      notebook,
      JSON.stringify({ cells, metadata: { kernelspec }, nbformat: 4, nbformat_minor: 4 }),
    );
    const kernels = path.join(project, 'node_modules', 'gondwana');
    const run = await executeNotebook(notebook, path.join(project, 'out.ipynb'), project, {}, kernels);
    expect(run.failed).toBe('');
    expect(textOf(run.notebook.cells[0]?.outputs?.[0]?.data?.['text/html'] as string)).toContain('<table');
    expect(textOf(run.notebook.cells[1]?.outputs?.[0]?.text)).toContain('quickstart function');
  });

  it('has every program that its package.json names', () => {
    const own = JSON.parse(
      readFileSync(path.join(project, 'node_modules', 'gondwana', 'package.json'), 'utf8'),
    ) as {
      bin: Record<string, string>;
      exports: Record<string, string | Record<string, string>>;
    };
    const files = [
      ...Object.values(own.bin),
      ...Object.values(own.exports).flatMap((entry) =>
        Object.values(typeof entry === 'string' ? [entry] : entry),
      ),
    ];
    for (const file of files)
      expect(existsSync(path.join(project, 'node_modules', 'gondwana', file)), file).toBe(true);
  });
});
