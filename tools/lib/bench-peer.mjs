// What the benches that compare readers with a Python peer share.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { root } from './process.mjs';

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
