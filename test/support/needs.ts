import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Root of the repository. */
export const root = path.resolve(import.meta.dirname, '../..');

/** What a test needs beside Node: where it lies, or why it is not there. */
export interface Need {
  readonly isMet: boolean;
  /** Program to start; empty where the need is not met. */
  readonly program: string;
  /** Further environment for it. */
  readonly env: Readonly<Record<string, string>>;
  readonly reason: string;
}

/** Reasons that `npm test` found while setting up. */
const missing = JSON.parse(process.env.GONDWANA_TEST_MISSING ?? '{}') as Partial<Record<string, string>>;

const unmet = (reason: string): Need => ({ isMet: false, program: '', env: {}, reason });

function findJupyter(): Need {
  const note = path.join(root, '.venv', 'gondwana-test.json');
  if (!existsSync(note)) return unmet(missing.jupyter ?? 'npm test installs the Jupyter client');
  const { python, packages } = JSON.parse(readFileSync(note, 'utf8')) as { python: string; packages: string };
  return { isMet: true, program: python, env: packages ? { PYTHONPATH: packages } : {}, reason: '' };
}

function findBrowser(): Need {
  for (const folder of (process.env.PATH ?? '').split(path.delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
      const program = path.join(folder, name);
      if (existsSync(program)) return { isMet: true, program, env: {}, reason: '' };
    }
  }
  return unmet(missing.browser ?? 'npm test installs Chromium where it may');
}

function findSlurm(): Need {
  const daemons = ['/usr/sbin/munged', '/usr/sbin/slurmctld', '/usr/sbin/slurmd', '/usr/bin/sbatch'];
  const isThere = process.getuid?.() === 0 && daemons.every((file) => existsSync(file));
  return isThere
    ? { isMet: true, program: daemons[1]!, env: {}, reason: '' }
    : unmet(missing.slurm ?? 'npm test installs Slurm where it may');
}

/** A Python that has nbclient. Skip with `describe.skipIf(!jupyter.isMet)`: the run then lists the tests by name. */
export const jupyter = findJupyter();
/** Chromium. Skip with `describe.skipIf(!browser.isMet)`. */
export const browser = findBrowser();
/** Slurm's daemons, and the right to start them. Skip with `describe.skipIf(!slurm.isMet)`. */
export const slurm = findSlurm();
