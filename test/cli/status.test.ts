import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/results/store.js';
import { planStudy } from '../../src/studies/plan-study.js';
import { gondwana } from '../support/command-line.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-status-'));
afterAll(() => rmSync(folder, { recursive: true }));

const study = {
  name: 'tiny',
  title: 'Does anything happen?',
  datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'],
  decoders: ['unet'],
  protocol: 'neon-crowns',
  vary: { encoderMode: ['frozen', 'fine-tuned'] },
  seeds: [0, 1],
};

describe('gondwana status', () => {
  it('counts what the plan names and no record stands for', async () => {
    const store = path.join(folder, 'tiny');
    await openStore(store).writePlan(await planStudy(study));
    const { code, stdout } = await gondwana(['status', store, '--json']);
    expect(code).toBe(0);
    // 2 modes × 2 seeds and a trivial predictor for each of the 2 classes
    expect(JSON.parse(stdout)).toMatchObject({
      study: 'tiny',
      done: 0,
      running: 0,
      queued: 0,
      failed: 0,
      missing: 6,
    });
    const { stdout: text } = await gondwana(['status', store]);
    expect(text).toContain('at work right now count as missing');
    expect(text).toContain(`resume ${store}`);
  });

  it.each(['status', 'resume', 'report', 'compact'])(
    '%s says that a folder without a plan is no store, and exits 3',
    async (command) => {
      const { code, stdout } = await gondwana([command, path.join(folder, 'nothing'), '--json']);
      expect(code).toBe(3);
      expect((JSON.parse(stdout) as { error: { code: string } }).error.code).toBe('STORE_EMPTY');
    },
  );

  it('refuses a file where a store is asked for', async () => {
    const file = path.join(folder, 'file');
    writeFileSync(file, '');
    const { code, stdout } = await gondwana(['status', file, '--json']);
    expect(code).toBe(3);
    expect((JSON.parse(stdout) as { error: { code: string } }).error.code).toBe('NOT_A_FOLDER');
  });
});
