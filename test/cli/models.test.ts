import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gondwana } from '../support/command-line.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('gondwana models and data', () => {
  it('lists what the manifests hold', async () => {
    const models = JSON.parse((await gondwana(['models', 'list', '--json'])).stdout) as { id: string }[];
    expect(models.map((model) => model.id)).toContain('efficientnet-lite0');
    const data = JSON.parse((await gondwana(['data', 'list', '--json'])).stdout) as { id: string }[];
    expect(data.map((dataset) => dataset.id)).toEqual(expect.arrayContaining(['neon-crowns', 'mados']));
  });

  it('suggests the nearest id for an unknown one and exits 3', async () => {
    const { code, stdout } = await gondwana(['data', 'info', 'neon-crown', '--json']);
    expect(code).toBe(3);
    const { error } = JSON.parse(stdout) as { error: { code: string; hint: string } };
    expect(error.code).toBe('MANIFEST_UNKNOWN');
    expect(error.hint).toContain('Did you mean "neon-crowns"?');
  });

  it('shows bands with wavelength and ground sampling distance', async () => {
    const { code, stdout } = await gondwana(['data', 'info', 'neon-crowns']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^optical +neon-rgb +red +red +.*665 +0\.1/m);
  });

  it('takes other names of a dataset, and lists the candidates where several are called so', async () => {
    const one = await gondwana(['data', 'info', 'HLSBurnScars', '--json']);
    expect((JSON.parse(one.stdout) as { id: string }).id).toBe('hls-burn-scars');
    const { code, stdout } = await gondwana(['data', 'info', 'pastis', '--json']);
    expect(code).toBe(2);
    const { error } = JSON.parse(stdout) as { error: { code: string; hint: string } };
    expect(error.code).toBe('DATASET_AMBIGUOUS');
    expect(error.hint).toMatch(/gb2-pastis.*pastis-r/);
  });

  it('says where data is to be had that cannot be fetched by itself', async () => {
    const { code, stdout } = await gondwana(['data', 'get', 'mados']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Zenodo record 10664073[\s\S]*MADOS\.zip[\s\S]*splits\/\{train,val,test\}_X\.txt/);
  });

  it('refuses a file that holds no weights with a typed error and exit 3', async () => {
    const file = path.join(folder, 'page.pth');
    writeFileSync(file, '<!doctype html><title>Sign in</title>');
    const { code, stdout } = await gondwana(['models', 'check', 'efficientnet-lite0', file, '--json']);
    expect(code).toBe(3);
    const { error } = JSON.parse(stdout) as { error: { code: string; where: string; hint: string } };
    expect(error.code).toMatch(/^[A-Z][A-Z_]+$/);
    expect(error.where).toContain('page.pth');
    expect(error.hint).not.toBe('');
  });

  it('counts what a model takes, with a decoder and for another size', async () => {
    const line = ['models', 'info', 'vit-small-timm', '--cost', '--decoder', 'upernet', '--size', '64'];
    const { code, stdout } = await gondwana(line);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /· 52,554,498 parameters · one sample of 64 × 64 pixels, 3 bands optical, one date/,
    );
    expect(stdout).toMatch(/^decoder +fpn_bottleneck\/\* +9438720 +\d+/m);
    const { cost } = JSON.parse((await gondwana([...line, '--json'])).stdout) as {
      cost: { multiplyAdds: number; decoderParameters: number; size: number[] };
    };
    expect(cost.decoderParameters).toBe(30_888_834);
    expect(cost.size).toEqual([64, 64]);
    expect(cost.multiplyAdds).toBeGreaterThan(1e9);
  });

  it('refuses a size that is no number of pixels', async () => {
    const { code, stdout } = await gondwana([
      'models',
      'info',
      'vit-small-timm',
      '--cost',
      '--size',
      '6x',
      '--json',
    ]);
    expect(code).toBe(2);
    expect((JSON.parse(stdout) as { error: { code: string } }).error.code).toBe('OPTION_VALUE');
  });
});
