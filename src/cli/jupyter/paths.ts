import { realpathSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** What decides where Jupyter keeps its files. */
export interface JupyterSystem {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

export function thisSystem(): JupyterSystem {
  const home = os.homedir();
  let real = home;
  try {
    real = realpathSync(home); // as Jupyter does, also where /home is a link
  } catch {
    // made when it is written to
  }
  return { platform: process.platform, env: process.env, home: real };
}

const isSet = (value: string | undefined): boolean =>
  value !== undefined && !['', 'no', 'n', 'false', 'off', '0', '0.0'].includes(value.toLowerCase());

/**
 * The user's data folder by Jupyter's rules (jupyter_core 5): JUPYTER_DATA_DIR, else the platform's place, and
 * with JUPYTER_PLATFORM_DIRS that of `platformdirs`.
 */
export function userDataFolder({ platform, env, home }: JupyterSystem): string {
  if (env.JUPYTER_DATA_DIR) return env.JUPYTER_DATA_DIR;
  const isNative = isSet(env.JUPYTER_PLATFORM_DIRS);
  if (platform === 'darwin') {
    return isNative
      ? path.posix.join(home, 'Library', 'Application Support', 'jupyter')
      : path.posix.join(home, 'Library', 'Jupyter');
  }
  if (platform === 'win32') {
    const local = env.LOCALAPPDATA || path.win32.join(home, 'AppData', 'Local');
    if (isNative) return path.win32.join(local, 'jupyter');
    if (env.APPDATA) return path.win32.join(env.APPDATA, 'jupyter');
    return path.win32.join(env.JUPYTER_CONFIG_DIR || path.win32.join(home, '.jupyter'), 'data');
  }
  return path.posix.join(env.XDG_DATA_HOME || path.posix.join(home, '.local', 'share'), 'jupyter');
}

/** Data folder inside a Python's prefix. */
export const prefixDataFolder = (prefix: string): string => path.join(prefix, 'share', 'jupyter');

/** Folders in which kernel specifications are looked for, best first; without that of a Python that is not active. */
export function kernelFolders(system: JupyterSystem): string[] {
  const { platform, env } = system;
  const separator = platform === 'win32' ? ';' : ':';
  const listed = (env.JUPYTER_PATH ?? '').split(separator).filter((folder) => folder !== '');
  const prefixes = [env.VIRTUAL_ENV, env.CONDA_PREFIX].filter(
    (prefix) => prefix !== undefined && prefix !== '',
  );
  const environments = prefixes.map((prefix) => prefixDataFolder(prefix!));
  const users = [userDataFolder(system)];
  const prefersEnvironment =
    env.JUPYTER_PREFER_ENV_PATH === undefined ? environments.length > 0 : isSet(env.JUPYTER_PREFER_ENV_PATH);
  const shared = platform === 'win32' ? [] : ['/usr/local/share/jupyter', '/usr/share/jupyter'];
  const folders = [
    ...listed,
    ...(prefersEnvironment ? [...environments, ...users] : [...users, ...environments]),
    ...shared,
  ];
  return [...new Set(folders)].map((folder) => path.join(folder, 'kernels'));
}
