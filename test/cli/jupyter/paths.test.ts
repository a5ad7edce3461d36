import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { kernelFolders, thisSystem, userDataFolder } from '../../../src/cli/jupyter/paths.js';
import { execute } from '../../support/command-line.js';
import { jupyter } from '../../support/needs.js';
import { tempFolder } from '../../support/temp-folder.js';

const linux = (env: Record<string, string> = {}) => ({ platform: 'linux' as const, env, home: '/home/a' });
const windows = (env: Record<string, string> = {}) => ({
  platform: 'win32' as const,
  env,
  home: 'C:\\Users\\a',
});

describe("the user's data folder of Jupyter", () => {
  it.each([
    [linux(), '/home/a/.local/share/jupyter'],
    [linux({ XDG_DATA_HOME: '/data' }), '/data/jupyter'],
    [linux({ JUPYTER_DATA_DIR: '/own', XDG_DATA_HOME: '/data' }), '/own'],
    [{ platform: 'darwin' as const, env: {}, home: '/Users/a' }, '/Users/a/Library/Jupyter'],
    [
      { platform: 'darwin' as const, env: { JUPYTER_PLATFORM_DIRS: '1' }, home: '/Users/a' },
      '/Users/a/Library/Application Support/jupyter',
    ],
    [windows({ APPDATA: 'C:\\Users\\a\\AppData\\Roaming' }), 'C:\\Users\\a\\AppData\\Roaming\\jupyter'],
    [windows(), 'C:\\Users\\a\\.jupyter\\data'],
    [windows({ JUPYTER_PLATFORM_DIRS: 'yes' }), 'C:\\Users\\a\\AppData\\Local\\jupyter'],
  ])('of %j is %s', (system, expected) => {
    expect(userDataFolder(system)).toBe(expected);
  });
});

describe('the folders in which kernels are looked for', () => {
  it('are those of JUPYTER_PATH, then of the user, then of the system', () => {
    expect(kernelFolders(linux({ JUPYTER_PATH: '/one:/two' }))).toEqual([
      '/one/kernels',
      '/two/kernels',
      '/home/a/.local/share/jupyter/kernels',
      '/usr/local/share/jupyter/kernels',
      '/usr/share/jupyter/kernels',
    ]);
  });

  it("prefer an active environment to the user's, unless told otherwise", () => {
    const env = { VIRTUAL_ENV: '/venv' };
    expect(kernelFolders(linux(env))[0]).toBe('/venv/share/jupyter/kernels');
    expect(kernelFolders(linux({ ...env, JUPYTER_PREFER_ENV_PATH: '0' })).slice(0, 2)).toEqual([
      '/home/a/.local/share/jupyter/kernels',
      '/venv/share/jupyter/kernels',
    ]);
  });

  it.skipIf(!jupyter.isMet)('are among those that Jupyter itself names, in its order', async () => {
    const folder = tempFolder();
    const env = {
      ...jupyter.env,
      JUPYTER_PATH: [path.join(folder, 'a'), path.join(folder, 'b')].join(path.delimiter),
      XDG_DATA_HOME: path.join(folder, 'data'),
      VIRTUAL_ENV: path.dirname(path.dirname(jupyter.program)),
    };
    const { stdout } = await execute(
      jupyter.program,
      [
        '-c',
        'import json; from jupyter_core.paths import jupyter_path; print(json.dumps(jupyter_path("kernels")))',
      ],
      { env },
    );
    const theirs = JSON.parse(stdout) as string[];
    const ours = kernelFolders({ ...thisSystem(), env });
    // a folder of the Python's user site, which no kernel of ours is put into, may come in between
    expect(theirs.filter((entry) => ours.includes(entry))).toEqual(ours);
  });
});
