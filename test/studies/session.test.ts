import { describe, expect, it } from 'vitest';
import { readSceneDatasetManifest } from '../../src/manifests/scene-manifest.js';
import {
  checkInputs,
  normalizationOf,
  proveArmsDiffer,
  type PreparedDataset,
} from '../../src/studies/session.js';
import { planStudy } from '../../src/studies/plan-study.js';
import type { PixelArray } from '../../src/io/raster.js';

/** Train tiles whose pixels are given by `value`. */
function prepared(
  value: (index: number) => number,
  Type: new (n: number) => PixelArray = Uint8Array,
): PreparedDataset {
  const manifest = readSceneDatasetManifest('neon-crowns');
  const data = new Type(4 * 6 * 3);
  for (let i = 0; i < data.length; i++) data[i] = value(i);
  const tile = {
    id: 't',
    split: 'train',
    place: 'A',
    image: { data, height: 4, width: 6, bandCount: 3 },
    target: { data: new Uint8Array(24), height: 4, width: 6 },
  };
  return {
    dataset: { manifest, dataHash: 'x', samples: [] },
    tiles: new Map([['train', [tile]]]),
    samples: new Map(),
  };
}

const plan = await planStudy({
  name: 'try',
  title: 'Try?',
  protocol: 'neon-crowns',
  datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'],
  decoders: ['unet'],
  vary: { normalization: ['z-score', 'none'] },
  seeds: [0],
});

describe('inputs of an arm', () => {
  it('are near mean 0 and spread 1 under z-score, and those of the file under none', () => {
    const data = prepared((i) => (i * 37) % 256);
    for (const { mean, standardDeviation } of checkInputs(data, normalizationOf(data, 'z-score')).inputs) {
      // float32 inputs of size 1: sums over 24 pixels err by 1e-6
      expect(mean).toBeCloseTo(0, 5);
      expect(standardDeviation).toBeCloseTo(1, 5);
    }
    const plain = checkInputs(data, normalizationOf(data, 'none')).inputs;
    expect(plain.map(({ band }) => band)).toEqual(['red', 'green', 'blue']);
    expect(plain[0]!.mean).toBeGreaterThan(50);
  });
});

describe('arms of an ablation', () => {
  it('that differ in their input pass', () => {
    expect(() =>
      proveArmsDiffer(
        prepared((i) => (i * 37) % 256),
        plan.runs,
      ),
    ).not.toThrow();
  });

  it('that are told apart but get equal tensors fail', () => {
    // every band has mean 0 and spread 1 already: z-score changes nothing
    const standard = prepared((i) => (Math.floor(i / 3) % 2 ? 1 : -1), Int8Array);
    expect(() => proveArmsDiffer(standard, plan.runs)).toThrowError(
      expect.objectContaining({ code: 'ARMS_EQUAL' }),
    );
  });
});
