import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { answers, root, run, say, seconds, tail } from './process.mjs';

/**
 * What some tests need beside Node. A need is met or has the reason why not; tests that lack it are
 * counted as skipped and listed by name.
 */

const folder = path.join(root, '.venv');
const requirements = path.join(root, 'tools', 'requirements-test.txt');
/** Which Python the notebook tests call, and where its packages lie; read by test/support/needs.ts. */
const noteFile = path.join(folder, 'gondwana-test.json');

/** A Jupyter client in `.venv`; returns why there is none, or undefined. */
export async function installJupyter() {
  const hash = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(noteFile)) {
    const note = JSON.parse(readFileSync(noteFile, 'utf8'));
    if (note.requirements === hash && existsSync(note.python)) return undefined;
  }
  if (!answers('python3')) return 'python3 is not installed';
  const started = performance.now();
  say('installing a Jupyter client for the notebook tests …');
  rmSync(folder, { recursive: true, force: true });
  const venv = await run('python3', ['-m', 'venv', folder]);
  let python = path.join(folder, 'bin', 'python');
  let packages = '';
  let result;
  if (venv.code === 0) {
    result = await run(python, ['-m', 'pip', 'install', '--quiet', '-r', requirements]);
  } else {
    // no venv module (Debian ships it apart): pip into a folder that only the tests look into
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    packages = path.join(folder, 'packages');
    python = (await run('python3', ['-c', 'import sys; print(sys.executable)'])).output.trim();
    result = await run('python3', [
      '-m',
      'pip',
      'install',
      '--quiet',
      '--target',
      packages,
      '-r',
      requirements,
    ]);
  }
  if (result.code !== 0) {
    rmSync(folder, { recursive: true, force: true });
    say(tail(result.output));
    return `pip could not install ${path.basename(requirements)} (its messages stand above)`;
  }
  writeFileSync(noteFile, JSON.stringify({ requirements: hash, python, packages }));
  say(`Jupyter client installed in ${seconds(started)} s`);
  return undefined;
}

const SLURM = ['slurmd', 'slurmctld', 'slurm-client', 'slurm-wlm-basic-plugins', 'munge'];

/** Slurm's daemons, from apt where that is allowed; tests start them themselves. Returns why there are none, or undefined. */
export async function installSlurm() {
  const { DAEMONS } = await import('./slurm-cluster.mjs');
  if (process.getuid?.() !== 0) return 'a cluster of this machine can only be started by root';
  if ([...DAEMONS, '/usr/bin/sbatch'].every((file) => existsSync(file))) return undefined;
  if (!answers('apt-get')) return 'no Slurm, and no apt-get to install it with';
  return aptInstall('Slurm', SLURM);
}

const browsers = ['chromium', 'chromium-browser', 'google-chrome'];

/** Chromium, from apt where that is allowed; returns why there is none, or undefined. */
export async function installBrowser() {
  if (browsers.some((name) => answers(name))) return undefined;
  if (process.getuid?.() !== 0) return 'no Chromium, and only root may install it: apt-get install chromium';
  if (!answers('apt-get')) return 'no Chromium, and no apt-get to install it with';
  return aptInstall('Chromium', ['chromium']);
}

async function aptInstall(what, packages) {
  const started = performance.now();
  say(`installing ${what} for the tests …`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update', '-qq'], { env });
  const { code, output } = await run(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...packages],
    { env },
  );
  if (code !== 0) {
    say(tail(output));
    return `apt-get could not install ${what} (its messages stand above)`;
  }
  say(`${what} installed in ${seconds(started)} s`);
  return undefined;
}
