import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { templates } from '../../src/cli/notebook/templates.js';
import { gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

const shipped = path.join(root, 'notebooks', 'templates');
const names = Object.keys(templates);

describe('gondwana notebook new', () => {
  it('lists the templates with a line each where none is named', async () => {
    const { code, stdout } = await gondwana(['notebook', 'new']);
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(names);
    for (const line of lines) expect(line).toMatch(/^\w+ {2,}\S.*\S$/);
    const { stdout: json } = await gondwana(['notebook', 'new', '--json']);
    expect((JSON.parse(json) as { name: string }[]).map(({ name }) => name)).toEqual(names);
  });

  it('lists them for an unknown one too, with the nearest, and exits 2', async () => {
    const folder = tempFolder();
    const { code, stderr } = await gondwana(['notebook', 'new', 'ablaton'], { cwd: folder });
    expect(code).toBe(2);
    expect(stderr).toContain('TEMPLATE_UNKNOWN');
    expect(stderr).toContain('Did you mean "ablation"?');
    for (const name of names) expect(stderr).toContain(`\n${name}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes no name of an object for a template', async () => {
    const { code } = await gondwana(['notebook', 'new', 'constructor'], { cwd: tempFolder() });
    expect(code).toBe(2);
  });

  it('writes the notebook, never over another file unless it is forced to', async () => {
    const folder = tempFolder();
    const first = await gondwana(['notebook', 'new', 'blank', '--json'], { cwd: folder });
    expect(JSON.parse(first.stdout)).toEqual({ template: 'blank', file: path.join(folder, 'blank.ipynb') });
    const file = path.join(folder, 'mine', 'first.ipynb');
    await gondwana(['notebook', 'new', 'study', '--out', file], { cwd: folder });
    const template = readFileSync(path.join(shipped, 'study.ipynb'), 'utf8');
    expect(readFileSync(file, 'utf8')).toBe(template);

    writeFileSync(file, 'my work');
    const again = await gondwana(['notebook', 'new', 'study', '--out', file, '--json'], { cwd: folder });
    expect(again.code).toBe(3);
    expect((JSON.parse(again.stdout) as { error: { code: string } }).error.code).toBe('FILE_EXISTS');
    expect(readFileSync(file, 'utf8')).toBe('my work');
    expect(readdirSync(path.dirname(file))).toEqual(['first.ipynb']);

    expect(
      (await gondwana(['notebook', 'new', 'study', '--out', file, '--force'], { cwd: folder })).code,
    ).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(template);
  });

  it('says how to open it, and how Jupyter gets the kernel where it has none of its name', async () => {
    const folder = tempFolder();
    const out = path.join('deep', 'own.ipynb');
    const open = (data: string): Promise<{ stdout: string }> =>
      gondwana(['notebook', 'new', 'blank', '--force', '--out', out], {
        cwd: folder,
        env: { JUPYTER_PATH: '', JUPYTER_DATA_DIR: data, VIRTUAL_ENV: '', CONDA_PREFIX: '' },
      });
    const install = 'once, so that Jupyter has its kernel: npx gondwana kernel install\n';
    const file = path.join(folder, out);
    expect((await open(folder)).stdout).toBe(`${file}\n${install}open it: jupyter lab ${out}\n`);
    expect((await open(root)).stdout).toBe(`${file}\nopen it: jupyter lab ${out}\n`);
  });

  it('leaves a folder of that name alone, also where it is forced', async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'blank.ipynb'));
    for (const args of [[], ['--force']]) {
      const { code } = await gondwana(['notebook', 'new', 'blank', ...args], { cwd: folder });
      expect(code).not.toBe(0);
      expect(readdirSync(folder)).toEqual(['blank.ipynb']);
    }
  });
});

describe('the templates', () => {
  it('are the notebooks of notebooks/templates', () => {
    expect(readdirSync(shipped).sort()).toEqual(names.map((name) => `${name}.ipynb`).sort());
  });
});
