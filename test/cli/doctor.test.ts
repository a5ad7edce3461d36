import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { DoctorDocument } from '../../src/cli/commands/doctor.js';
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

  it('says the same to a person', async () => {
    const { stdout } = await gondwana(['doctor'], {
      env: { GONDWANA_CACHE: emptyCache, GONDWANA_ENGINE: 'cpu' },
    });
    expect(stdout).toMatch(/^engine +cpu \(tfjs cpu/m);
    expect(stdout).toContain('A job can run.');
  });
});
