import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { encode } from 'fast-png';
import { describe, expect, it } from 'vitest';
import type { CommandContext } from '../../src/cli/command.js';
import { embed } from '../../src/cli/commands/embed.js';
import { gondwana } from '../support/command-line.js';
import { sharedData } from '../support/shared-data.js';
import { tempFolder } from '../support/temp-folder.js';

const eurosat = path.resolve(import.meta.dirname, '../fixtures/layouts/geobench/m-eurosat');

interface Document {
  readonly samples: number;
  readonly width: number;
  readonly files: readonly string[];
  readonly error: { readonly code: string };
}

const run = async (
  ...args: string[]
): Promise<{ code: number | null; document: Document; stderr: string }> => {
  const { code, stdout, stderr } = await gondwana([...args, '--json']);
  return { code, stderr, document: JSON.parse(stdout) as Document };
};

describe('gondwana embed and probe', () => {
  it('embed rasters, whose vectors a probe then tells apart', async () => {
    const folder = tempFolder();
    const images = path.join(folder, 'images');
    mkdirSync(images);
    for (const [name, value] of [
      ['a.png', 40],
      ['b.png', 200],
    ] as const) {
      const data = Uint8Array.from({ length: 32 * 32 * 3 }, (_, i) => (value + 7 * i) % 251);
      writeFileSync(path.join(images, name), encode({ data, width: 32, height: 32, channels: 3, depth: 8 }));
    }
    const out = path.join(folder, 'vectors.npy');
    const found = await run('embed', 'resnet18-random', '--input', images, '--size', 'keep', '--out', out);
    expect(found.code, found.stderr).toBe(0);
    expect(found.document).toMatchObject({ samples: 2, width: 512, weights: null, normalization: 'none' });
    expect(found.document).toMatchObject({ precision: 'float32' });
    expect(found.document.files).toEqual([out, path.join(folder, 'vectors.json')]);
    const facts = path.join(folder, 'vectors.json');
    expect(JSON.parse(readFileSync(facts, 'utf8'))).toMatchObject({
      ids: ['a.png', 'b.png'],
      labels: [null, null],
      precision: 'float32',
    });

    expect((await run('probe', out, out)).document.error.code).toBe('PROBE_DATA');
    writeFileSync(facts, JSON.stringify({ ids: ['a', 'b'], splits: ['x', 'x'], labels: [0, 1] }));
    const { code, document } = await run('probe', out, out, '--k', '1');
    expect(code).toBe(0);
    expect(document).toMatchObject({ metric: 'accuracy', k: 1, knn: 1, linear: 1, trivial: 0.5 });
  });

  it('embeds with an ONNX file by its path, and says which file it was', async () => {
    const folder = tempFolder();
    const [image, out] = [path.join(folder, 'a.png'), path.join(folder, 'vectors.npy')];
    const data = Uint8Array.from({ length: 16 * 24 * 3 }, (_, i) => (7 * i) % 251);
    writeFileSync(image, encode({ data, width: 24, height: 16, channels: 3, depth: 8 }));
    const onnx = path.resolve(import.meta.dirname, '../fixtures/onnx/pyramid.onnx');
    const found = await run('embed', onnx, '--input', image, '--out', out);
    expect(found.code, found.stderr).toBe(0);
    const sha256 = createHash('sha256').update(readFileSync(onnx)).digest('hex');
    expect(found.document).toMatchObject({ encoder: onnx, weights: onnx, sha256, samples: 1, width: 5 });
    const info = await gondwana(['models', 'info', onnx]);
    expect(info.stdout).toMatch(/image +B4, B3, B2[\s\S]*6 channels at 1\/4[\s\S]*5 channels at 1\/8/);
    const wrong = await run('embed', onnx, '--input', image, '--encoder-bands', 'B4,B8', '--out', out);
    expect([wrong.code, wrong.document.error.code]).toEqual([3, 'BANDS_FIXED']);
  });

  // shared/data, beside the checkout; without it the run lists this as left out
  it.skipIf(!sharedData.isMet)('tells encoders that need them the date and the metres a pixel', async () => {
    const input = sharedData.path('sen1floods11-sample/Spain_7370579_S2Hand.tif');
    const weights = sharedData.path('weights-galileo-nano/encoder.pt');
    const bands = 'B1,B2,B3,B4,B5,B6,B7,B8,B8A,B9,B10,B11,B12';
    const out = path.join(tempFolder(), 'vectors.parquet');
    const line = ['embed', 'galileo-nano', '--weights', weights, '--input', input, '--bands', bands];
    const size = ['--size', '64', '--out', out];
    const found = await run(...line, ...size, '--date', '2019-09-17', '--gsd', '10');
    expect(found.code, found.stderr).toBe(0);
    expect(found.document).toMatchObject({ samples: 1, width: 128, normalization: 'model' });
    expect((await run(...line, ...size, '--gsd', '10')).document.error.code).toBe('INPUT_MISSING');
  });

  it.each([
    [['--input', eurosat, '--out', 'a.npy', '--gsd', '0'], 'OPTION_VALUE', 2],
    [['--input', eurosat, '--out', 'a.npy', '--date', '2021-13-01'], 'OPTION_VALUE', 2],
    [['--input', eurosat, '--out', 'a.npy', '--precision', 'half'], 'OPTION_VALUE', 2],
    [['--input', eurosat], 'OPTION_MISSING', 2],
    [['--input', eurosat, '--out', 'a.csv'], 'OPTION_VALUE', 2],
    [['--input', 'nowhere', '--out', 'a.npy'], 'FILE_MISSING', 3],
    [['--input', eurosat, '--dataset', 'm-eurosta', '--out', 'a.npy'], 'DATASET_UNKNOWN', 2],
    [['--input', eurosat, '--dataset', 'm-eurosat', '--out', 'a.npy', '--size', '-3'], 'OPTION_VALUE', 2],
    [['--input', eurosat, '--out', 'a.npy'], 'FOLDER_EMPTY', 3],
  ])('embed %j ends with %s', async (args, code, exitCode) => {
    const found = await run('embed', 'resnet18-random', '--weights', 'random', ...args);
    expect(found.document.error.code).toBe(code);
    expect(found.code).toBe(exitCode);
  });

  it.each([
    ['a modality that the encoder has not', { modality: '["nosuch=s1"]' }, /optical/],
    ['a modality that is named twice', { modality: '["optical=s1","optical=s2"]' }, /once/],
    ['a modality with two sources', { modality: '["optical=s1=s2"]' }, /e\.g\. optical=s2/],
    ['an endless pixel', { gsd: 'Infinity' }, /finite/],
    ['a band of the encoder twice', { encoderBands: 'B4,B8,B4' }, /once/],
    ['a band without a name', { encoderBands: 'B4,,B3' }, /names of bands/],
    ['a band of rasters twice', { bands: 'B4,B4,B3' }, /once/],
  ])('embed refuses %s', async (_, options, hint) => {
    // refused before anything of the context is used
    const context = {} as CommandContext;
    const input = path.resolve(import.meta.dirname, '../fixtures/onnx/pyramid.onnx');
    const given = { input, out: 'a.npy', weights: 'random', ...options };
    await expect(embed(context, ['resnet18-random'], given)).rejects.toMatchObject({
      code: 'OPTION_VALUE',
      hint: expect.stringMatching(hint) as string,
    });
  });

  it('names a checkpoint that is none and writes nothing', async () => {
    const folder = tempFolder();
    const weights = path.join(folder, 'page.pth');
    writeFileSync(weights, '<!doctype html>');
    const out = path.join(folder, 'a.npy');
    const found = await run(
      ...[
        'embed',
        'resnet18-timm',
        '--weights',
        weights,
        '--dataset',
        'm-eurosat',
        '--input',
        eurosat,
        '--out',
        out,
      ],
    );
    expect(found.code).toBe(3);
    expect(found.document.error.code).toBe('CHECKPOINT_MALFORMED');
    expect(existsSync(out)).toBe(false);
  });
});
