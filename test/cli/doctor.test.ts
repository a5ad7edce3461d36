import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { DoctorDocument } from '../../src/cli/commands/doctor.js';
import { findNativeEngines } from '../../src/engine/native.js';
import { gondwana } from '../support/command-line.js';

const emptyCache = mkdtempSync(path.join(tmpdir(), 'gondwana-doctor-'));
afterAll(() => rmSync(emptyCache, { recursive: true }));

describe('gondwana doctor', () => {
  it('names the line that installs the native engine where there is none, and still exits 0', async () => {
    const { code, stdout } = await gondwana(['doctor', '--json'], { env: { GONDWANA_CACHE: emptyCache } });
    expect(code).toBe(0);
    const found = JSON.parse(stdout) as DoctorDocument;
    expect(['wasm', 'cpu']).toContain(found.engine?.name);
    expect(found.missing.map((entry) => entry.mend)).toContain('npx gondwana engine install');
    expect(found.versions.node).toBe(process.versions.node);
    expect(found.font).toContain('DejaVuSans.ttf');
    expect(found).toHaveProperty('gpuVerifiedOn');
  });

  it('exits 1 and says why where the engine asked for is not there', async () => {
    const env = { GONDWANA_CACHE: emptyCache, GONDWANA_ENGINE: 'native-cpu' };
    const { code, stdout } = await gondwana(['doctor', '--json'], { env });
    expect(code).toBe(1);
    const found = JSON.parse(stdout) as DoctorDocument;
    expect(found.ok).toBe(false);
    expect(found.engine).toBeNull();
    expect(found.missing[0]?.what).toContain('not installed');
  });

  it('lists the known engines for an unknown one and advises no installation', async () => {
    const { code, stdout } = await gondwana(['doctor', '--json'], { env: { GONDWANA_ENGINE: 'foo' } });
    expect(code).toBe(1);
    const [missing] = (JSON.parse(stdout) as DoctorDocument).missing;
    expect(missing?.what).toContain('There is no engine "foo"');
    expect(missing?.mend).toContain('native-cpu, wasm, cpu');
    expect(missing?.mend).not.toContain('install');
  });

  it('advises to unset GONDWANA_ENGINE where the native engine is installed, and warns of the memory of wasm', async () => {
    const { stdout } = await gondwana(['doctor'], { env: { GONDWANA_ENGINE: 'wasm' } });
    if (findNativeEngines().length > 0) {
      expect(stdout).toContain('unset GONDWANA_ENGINE');
      expect(stdout).not.toContain('engine install');
    } else expect(stdout).toContain('engine install');
    expect(stdout).toMatch(/, 1 thread$/m);
    expect(stdout).toMatch(/A job can run\. .*fine-tuning may not/);
  });

  it('names the number of threads that is none, and advises no installation', async () => {
    const { stdout } = await gondwana(['doctor', '--json'], { env: { TF_NUM_INTRAOP_THREADS: '-1' } });
    const found = (JSON.parse(stdout) as DoctorDocument).missing.find(({ what }) => what.includes('"-1"'));
    expect(found?.what).toContain('TF_NUM_INTRAOP_THREADS');
    expect(found?.mend).toContain('unset TF_NUM_INTRAOP_THREADS');
  });

  it('says the same to a person', async () => {
    const { stdout } = await gondwana(['doctor'], {
      env: { GONDWANA_CACHE: emptyCache, GONDWANA_ENGINE: 'cpu' },
    });
    expect(stdout).toMatch(/^engine +cpu \(tfjs cpu/m);
    expect(stdout).toContain('A job can run.');
  });
});
