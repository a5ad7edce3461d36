import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { Canary } from '../../../src/parity/checkpoint/canary.js';
import { tempFolder } from '../../support/temp-folder.js';

function watching(folder: string): Canary {
  const canary = new Canary(folder);
  onTestFinished(() => canary.stop());
  return canary;
}

it('says nothing where nothing was done', () => {
  expect(watching(tempFolder()).sign()).toBeUndefined();
});

it('tells of the file that a payload writes', () => {
  const folder = tempFolder();
  const canary = watching(folder);
  writeFileSync(path.join(folder, 'PWNED'), '');
  expect(canary.sign()).toBe('a file named PWNED was written');
});

it('tells of a child process', async () => {
  const canary = watching(tempFolder());
  await once(spawn(process.execPath, ['--version'], { stdio: 'ignore' }), 'exit');
  expect(canary.sign()).toBe('a child process was started');
});

it('tells of what every object would inherit', () => {
  const canary = watching(tempFolder());
  Object.defineProperty(Object.prototype, 'polluted', { value: 1, configurable: true });
  onTestFinished(() => void Reflect.deleteProperty(Object.prototype, 'polluted'));
  expect(canary.sign()).toBe('Object.prototype got polluted');
});
