import { realpathSync } from 'node:fs';
import { runProcess } from '../../io/process.js';

/** What is told where Jupyter would not find a kernel in this data folder; empty where it does. */
export async function jupyterWarnings(dataFolder: string, signal: AbortSignal): Promise<string[]> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(10_000)]);
  let folders: string[];
  try {
    const { status, stdout } = await runProcess('jupyter', ['--paths', '--json'], { signal: limit });
    if (status !== 0) return ['`jupyter --paths` fails: see what it says, and install Jupyter anew.'];
    folders = (JSON.parse(stdout) as { data: string[] }).data.map(real);
  } catch (error) {
    signal.throwIfAborted();
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return ['`jupyter --paths` does not answer.'];
    return [
      'The program `jupyter` is not found: pip install jupyterlab, or activate the environment that has it.',
    ];
  }
  if (folders.includes(real(dataFolder))) return [];
  return [
    `This \`jupyter\` does not look there. Start it with JUPYTER_PATH=${JSON.stringify(dataFolder)}, or install with --sys-prefix.`,
  ];
}

function real(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
