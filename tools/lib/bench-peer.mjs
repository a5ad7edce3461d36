// What the benches beside a Python peer share.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { startServer } from './bench-server.mjs';
import { root, say } from './process.mjs';

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

export const round = (value, digits = 3) => Number(value.toFixed(digits));

/**
 * The Python that GONDWANA_PEER_PYTHON names, else bench/.venv-NAME, made from bench/NAME/requirements.txt where it is
 * not there; undefined where that fails.
 */
export function findPython(name) {
  if (process.env.GONDWANA_PEER_PYTHON) return process.env.GONDWANA_PEER_PYTHON;
  const venv = path.join(root, `bench/.venv-${name}`);
  const python = path.join(venv, 'bin/python');
  if (existsSync(python)) return python;
  for (const [command, args] of [
    ['python3', ['-m', 'venv', venv]],
    [python, ['-m', 'pip', 'install', '--quiet', '-r', path.join(root, `bench/${name}/requirements.txt`)]],
  ]) {
    if (spawnSync(command, args, { stdio: 'inherit' }).status === 0) continue;
    rmSync(venv, { recursive: true, force: true });
    return undefined;
  }
  return python;
}

/** Writes bench/results/NAME.json. */
export function saveResult(name, content) {
  const file = path.join(root, `bench/results/${name}.json`);
  mkdirSync(path.dirname(file), { recursive: true });
  const result = { bench: name, date: new Date().toISOString(), ...content };
  writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`);
}

/**
 * Gives `compare` bench/NAME/gondwana.mjs, bench/NAME/peer.py, both ready, a folder for the files that they read, and what
 * is known of the machine. Ends with both stopped and the folder gone.
 * @returns what `compare` returns; 3 where the peer's library cannot be installed
 */
export async function besideReader(name, library, compare) {
  const python = findPython(name);
  if (!python) {
    say(
      `PEER_MISSING: ${library} cannot be installed\n  to do: set GONDWANA_PEER_PYTHON to a Python that has it`,
    );
    return 3;
  }
  const peer = startServer(python, [`bench/${name}/peer.py`]);
  const ours = startServer(process.execPath, [`bench/${name}/gondwana.mjs`]);
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-bench-'));
  try {
    const [own, theirs] = [await ours.ready, await peer.ready];
    const machine = { processor: cpus()[0]?.model, cores: cpus().length, ...own, ...theirs };
    return await compare({ peer, ours, folder, machine });
  } finally {
    rmSync(folder, { recursive: true, force: true });
    peer.stop();
    ours.stop();
  }
}
