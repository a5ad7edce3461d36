import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { execute, gondwana, type Outcome } from '../../support/command-line.js';
import { fakePrograms } from '../../support/fake-program.js';
import { withFullDisk } from '../../support/full-disk.js';
import { jupyter, root } from '../../support/needs.js';
import { tempFolder } from '../../support/temp-folder.js';

interface Spec {
  argv: string[];
  display_name: string;
  language: string;
  interrupt_mode: string;
  env: Record<string, string>;
  metadata: { gondwana: { package: string } };
}

const readSpec = (folder: string): Spec =>
  JSON.parse(readFileSync(path.join(folder, 'kernel.json'), 'utf8')) as Spec;
const codeOf = ({ stdout }: Outcome): string =>
  (JSON.parse(stdout) as { error: { code: string } }).error.code;

/** `gondwana kernel …` with a data folder of its own, and no `jupyter` but the one that is given. */
const kernel = (data: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> =>
  gondwana(['kernel', ...args], { env: { JUPYTER_DATA_DIR: data, PATH: '/usr/bin:/bin', ...env } });

describe('gondwana kernel install', () => {
  it('writes a specification that holds from every folder, and says how to start', async () => {
    const data = tempFolder();
    const { code, stdout, stderr } = await kernel(data, ['install']);
    expect(code, stderr).toBe(0);
    const folder = path.join(data, 'kernels', 'gondwana');
    expect(stdout).toContain(folder);
    expect(stdout).toContain('jupyter lab');
    const spec = readSpec(folder);
    expect(spec.argv).toEqual([
      process.execPath,
      path.join(root, 'kernels', 'gondwana', 'start.mjs'),
      '{connection_file}',
    ]);
    expect(spec).toMatchObject({
      display_name: 'Gondwana (TypeScript)',
      language: 'typescript',
      interrupt_mode: 'message',
      env: { TF_CPP_MIN_LOG_LEVEL: '2' },
      metadata: { gondwana: { package: root } },
    });
    expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([]);
  });

  it('takes a name and a display name, and lower-cases the name as Jupyter looks it up', async () => {
    const data = tempFolder();
    const args = ['install', '--name', 'Crowns', '--display-name', 'Tree crowns', '--json'];
    const { stdout, code } = await kernel(data, args);
    expect(code).toBe(0);
    const folder = path.join(data, 'kernels', 'crowns');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'crowns',
      displayName: 'Tree crowns',
      folder,
      replaced: false,
    });
    expect(readSpec(folder).display_name).toBe('Tree crowns');
  });

  it('replaces an earlier one of its own', async () => {
    const data = tempFolder();
    await kernel(data, ['install', '--display-name', 'before']);
    const { stdout } = await kernel(data, ['install', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ replaced: true });
    expect(readSpec(path.join(data, 'kernels', 'gondwana')).display_name).toBe('Gondwana (TypeScript)');
  });

  it.each([
    ['kernel.json', JSON.stringify({ argv: ['x'], display_name: 'Other', language: 'x' })],
    ['kernel.json', '{ not JSON'],
    ['notes.txt', 'mine'],
  ])("leaves another's %s under that name as it is (%s)", async (file, content) => {
    const data = tempFolder();
    const folder = path.join(data, 'kernels', 'gondwana');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, file), content);
    for (const command of ['install', 'uninstall']) {
      const outcome = await kernel(data, [command, '--json']);
      expect(outcome.code).toBe(3);
      expect(codeOf(outcome)).toBe('KERNEL_NAME_TAKEN');
    }
    expect(readdirSync(folder)).toEqual([file]);
    expect(readFileSync(path.join(folder, file), 'utf8')).toBe(content);
  });

  it('goes into a prefix, or the environment of the Python that is active', async () => {
    const prefix = tempFolder();
    const data = tempFolder();
    await kernel(data, ['install', '--prefix', prefix]);
    expect(existsSync(path.join(prefix, 'share', 'jupyter', 'kernels', 'gondwana', 'kernel.json'))).toBe(
      true,
    );
    const environment = tempFolder();
    const bin = fakePrograms({ python3: `echo ${environment}` });
    const { code, stderr } = await kernel(data, ['install', '--sys-prefix'], {
      PATH: `${bin}:/usr/bin:/bin`,
    });
    expect(code, stderr).toBe(0);
    expect(readdirSync(path.join(environment, 'share', 'jupyter', 'kernels'))).toEqual(['gondwana']);
    expect(readdirSync(data)).toEqual([]);
  });

  it.each([
    [['--user', '--sys-prefix'], 'USAGE'],
    [['--prefix', ''], 'OPTION_VALUE'],
    [['--name', 'a b'], 'OPTION_VALUE'],
    [['--name', '../up'], 'OPTION_VALUE'],
  ])('refuses %j', async (args, expected) => {
    const data = tempFolder();
    const outcome = await kernel(data, ['install', ...args, '--json']);
    expect(outcome.code).toBe(2);
    expect(codeOf(outcome)).toBe(expected);
    expect(readdirSync(data)).toEqual([]);
  });

  it('says when there is no jupyter, and when there is one that looks elsewhere', async () => {
    const data = tempFolder();
    const none = await kernel(data, ['install'], { PATH: '/nowhere' });
    expect(none.stderr).toContain('`jupyter` is not found');
    const bin = fakePrograms({ jupyter: `echo '{"data": ["/elsewhere"]}'` });
    const other = await kernel(data, ['install', '--json'], { PATH: `${bin}:/usr/bin:/bin` });
    const { warnings } = JSON.parse(other.stdout) as { warnings: string[] };
    expect(warnings.join()).toContain(`JUPYTER_PATH="${data}"`);
    const found = fakePrograms({ jupyter: `echo '{"data": ["${data}"]}'` });
    const fitting = await kernel(data, ['install', '--json'], { PATH: `${found}:/usr/bin:/bin` });
    expect((JSON.parse(fitting.stdout) as { warnings: string[] }).warnings).toEqual([]);
  });

  withFullDisk('leaves nothing half-written on a full disk', async (folder) => {
    writeFileSync(path.join(folder, 'fill'), Buffer.alloc(1 << 20));
    let size = 1 << 20;
    // to the last block, so that no file of any length can be written
    for (let i = 0; size >= 1; i++, size = Math.floor(size / 2)) {
      try {
        writeFileSync(path.join(folder, `fill-${i}`), Buffer.alloc(size));
      } catch {
        // full at this size
      }
    }
    const outcome = await kernel(path.join(folder, 'data'), ['install', '--json']);
    expect(outcome.code).toBe(1);
    expect(codeOf(outcome)).toBe('DISK_FULL');
    expect(existsSync(path.join(folder, 'data', 'kernels', 'gondwana'))).toBe(false);
  });

  it.skipIf(!jupyter.isMet)('is seen by Jupyter, until it is taken out', async () => {
    const data = tempFolder();
    await kernel(data, ['install']);
    const list = async (): Promise<Record<string, { resource_dir: string; spec: Spec }>> => {
      const { stdout } = await execute(
        jupyter.program,
        ['-m', 'jupyter_client.kernelspecapp', 'list', '--json'],
        {
          env: { ...jupyter.env, JUPYTER_DATA_DIR: data, JUPYTER_PATH: '' },
        },
      );
      return (JSON.parse(stdout) as { kernelspecs: Record<string, { resource_dir: string; spec: Spec }> })
        .kernelspecs;
    };
    const found = (await list()).gondwana;
    expect(found?.resource_dir).toBe(path.join(data, 'kernels', 'gondwana'));
    expect(found?.spec).toMatchObject({ display_name: 'Gondwana (TypeScript)', interrupt_mode: 'message' });
    const { code, stdout } = await kernel(data, ['uninstall']);
    expect(code).toBe(0);
    expect(stdout).toContain('taken out');
    expect((await list()).gondwana).toBeUndefined();
    expect(readdirSync(path.join(data, 'kernels'))).toEqual([]);
  });
});

describe('gondwana kernel uninstall', () => {
  it('says where it looked when there is nothing to take out', async () => {
    const data = tempFolder();
    const outcome = await kernel(data, ['uninstall', '--json']);
    expect(outcome.code).toBe(3);
    expect(codeOf(outcome)).toBe('KERNEL_NOT_INSTALLED');
    expect(outcome.stdout).toContain(path.join(data, 'kernels', 'gondwana'));
  });
});
