import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { jupyter, root } from './needs.js';

/** A JupyterLab of its own: own settings, own port, no token, the kernels of the repository. */
export interface JupyterLab {
  readonly address: string;
  stop(): Promise<void>;
}

/** @param folder where its notebooks lie */
export async function startJupyterLab(folder: string): Promise<JupyterLab> {
  const own = mkdtempSync(path.join(tmpdir(), 'gondwana-lab-'));
  const port = await freePort();
  const packages = jupyter.env.PYTHONPATH;
  for (const name of ['config', 'data', 'runtime']) mkdirSync(path.join(own, name));
  const child = spawn(
    jupyter.program,
    [
      '-m',
      'jupyterlab',
      '--no-browser',
      '--allow-root',
      `--ServerApp.port=${port}`,
      '--ServerApp.port_retries=0',
      '--IdentityProvider.token=',
      '--ServerApp.disable_check_xsrf=True',
      `--ServerApp.root_dir=${folder}`,
      '--LabApp.expose_app_in_browser=True',
      '--LabApp.news_url=',
      '--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate',
    ],
    {
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...jupyter.env,
        JUPYTER_PATH: packages ? `${root}${path.delimiter}${packages}/share/jupyter` : root,
        ...(packages && { JUPYTERLAB_DIR: path.join(packages, 'share/jupyter/lab') }),
        JUPYTER_CONFIG_DIR: path.join(own, 'config'),
        JUPYTER_DATA_DIR: path.join(own, 'data'),
        JUPYTER_RUNTIME_DIR: path.join(own, 'runtime'),
      },
    },
  );
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM'); // it ends its kernels
    await Promise.race([ended, sleep(5000)]);
    if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, 'SIGKILL');
    rmSync(own, { recursive: true, force: true });
  };
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 240; tries++) {
    if (child.exitCode !== null) break;
    const answer = await fetch(`${address}/api/status`).catch(() => undefined);
    if (answer?.ok) return { address, stop };
    await sleep(250);
  }
  await stop();
  throw new Error(`JupyterLab does not start:\n${log}`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
