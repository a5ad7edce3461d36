import { describe, expect, it } from 'vitest';
import type { TargetOf } from '../../src/datasets/sample.js';
import { matchResolution } from '../../src/preprocessing/match-resolution.js';
import { preprocess } from '../../src/preprocessing/preprocess.js';
import { resizeTo } from '../../src/preprocessing/resize.js';
import { codeOf, dataset, image, mask, ramp, sample, values } from './sample.js';

const line = (data: readonly number[], valid?: readonly number[]) =>
  image({
    data,
    height: 1,
    width: data.length,
    bands: ['B4'],
    ...(valid && { valid: Uint8Array.from(valid) }),
  });
const width = (count: number) => ({ height: 1, width: count });

describe('resizing', () => {
  it('is bilinear between pixel centres', () => {
    const whole = sample({
      optical: image({ data: [1, 2, 3, 4, 5, 6], height: 2, width: 3, bands: ['B4'] }),
    });
    const { optical } = preprocess(whole, [resizeTo({ size: { height: 4, width: 6 } })]).images;
    expect([...optical!.data].slice(0, 12)).toEqual([
      1, 1.25, 1.75, 2.25, 2.75, 3, 1.75, 2, 2.5, 3, 3.5, 3.75,
    ]);
  });

  it('moves the place of the image with it', () => {
    const whole = sample({ optical: ramp(4, 6, { transform: [10, 0, 500, 0, -10, 900] }) });
    const { optical } = preprocess(whole, [resizeTo({ size: { height: 2, width: 2 } })]).images;
    expect(optical!.transform).toEqual([30, 0, 500, 0, -20, 900]);
  });

  it('leaves invalid pixels out of means, and masks only what has no valid pixel', () => {
    const whole = sample({ optical: line([10, -9999, -9999, -9999, -9999, 40], [1, 0, 0, 0, 0, 1]) });
    const { optical } = preprocess(whole, [resizeTo({ size: width(3), kind: 'area' })]).images;
    expect([...optical!.data]).toEqual([10, -9999, 40]);
    expect([...optical!.valid!]).toEqual([1, 0, 1]);
    const doubled = preprocess(sample({ optical: line([10, -9999, 40], [1, 0, 1]) }), [
      resizeTo({ size: width(6) }),
    ]);
    expect([...doubled.images.optical!.data]).toEqual([10, 10, 10, 40, 40, 40]);
  });

  it('keeps NaN under the mask from spreading', () => {
    const whole = sample({ optical: line([10, Number.NaN, 40]) });
    const { optical } = preprocess(whole, [resizeTo({ size: width(6), kind: 'bicubic' })]).images;
    expect([...optical!.data].every(Number.isFinite)).toBe(true);
  });

  it('is the same beside a mask as without one, where all taps are valid', () => {
    const data = [3, 8, 1, 9, 4, 4, 7, 2, 6, 5];
    for (const kind of ['bilinear', 'bicubic', 'area'] as const) {
      const step = resizeTo({ size: width(4), kind });
      const plain = preprocess(sample({ optical: line(data) }), [step]).images.optical!;
      const masked = preprocess(
        sample({
          optical: line(
            data,
            data.map((_, at) => (at === 9 ? 0 : 1)),
          ),
        }),
        [step],
      );
      // the last pixel reaches the first two new ones under no kernel
      expect([...masked.images.optical!.data].slice(0, 2)).toEqual([...plain.data].slice(0, 2));
      expect(masked.images.optical!.data[3]).not.toBe(plain.data[3]);
    }
  });

  it('gives labels no class that was not there, and keeps the label that is left out', () => {
    const labels = mask([
      [255, 4, 2, 0],
      [4, 3, 4, 1],
    ]);
    const { target } = preprocess(sample({ optical: ramp(2, 4) }, labels), [
      resizeTo({ size: { height: 3, width: 8 } }),
    ]);
    expect([...(target as TargetOf<'mask'>).labels.data]).toEqual([
      255, 255, 4, 4, 2, 2, 0, 0, 255, 255, 4, 4, 2, 2, 0, 0, 4, 4, 3, 3, 4, 4, 1, 1,
    ]);
  });

  it('can take the label under the centre', () => {
    const four = mask([[0, 1, 2, 3]]);
    const resized = (labels: 'nearest' | 'nearest-exact') => [
      ...(
        preprocess(sample({ optical: ramp(1, 4) }, four), [resizeTo({ size: width(2), labels })])
          .target as TargetOf<'mask'>
      ).labels.data,
    ];
    expect(resized('nearest')).toEqual([0, 2]); // PyTorch rounds down
    expect(resized('nearest-exact')).toEqual([1, 3]);
  });

  it('can leave the target alone, and does where its image is left alone', () => {
    const whole = sample(
      { optical: ramp(2, 2), sar: ramp(2, 2) },
      values([
        [1, 2],
        [3, 4],
      ]),
    );
    const kept = (options: object) => preprocess(whole, [resizeTo({ size: 4, ...options })]).target;
    expect(kept({ isTargetResized: false })).toBe(whole.target);
    expect(kept({ modalities: ['sar'] })).toBe(whole.target);
    expect(kept({})).toMatchObject({ height: 4, width: 4 });
  });

  it('takes boxes with it', () => {
    const boxes = {
      kind: 'boxes',
      objects: [{ label: 0, id: 1, box: [1, 1, 2, 3] as const, area: 2 }],
    } as const;
    const { target } = preprocess(sample({ optical: ramp(4, 4) }, boxes), [
      resizeTo({ size: { height: 8, width: 2 } }),
    ]);
    expect(target).toEqual({ kind: 'boxes', objects: [{ label: 0, id: 1, box: [0.5, 2, 1, 6], area: 2 }] });
  });

  it('refuses kinds and sizes that are none', () => {
    expect(codeOf(() => resizeTo({ size: 0 }))).toBe('STEP_OPTION');
    expect(codeOf(() => resizeTo({ size: 4, kind: 'cubic' as 'area' }))).toBe('STEP_OPTION');
    expect(
      codeOf(() =>
        preprocess(sample({ optical: ramp(2, 2) }), [resizeTo({ size: 4, modalities: ['opticl'] })]),
      ),
    ).toBe('MODALITY_UNKNOWN');
  });
});

describe('resolution matching', () => {
  it('averages squares of valid pixels, and gives the old size back', () => {
    const whole = sample({ optical: line([1, 3, 5, -9999, 9], [1, 1, 1, 0, 1]) });
    const { optical } = preprocess(whole, [matchResolution({ factor: 2 })]).images;
    expect([...optical!.data]).toEqual([2, 2, 5, 5, 9]);
    expect([...optical!.valid!]).toEqual([1, 1, 1, 1, 1]);
  });

  it('can leave the image small, with the place of larger pixels', () => {
    const whole = sample({ optical: ramp(2, 4, { transform: [10, 0, 0, 0, -10, 0] }) });
    const { optical } = preprocess(whole, [matchResolution({ factor: 2, back: 'none' })]).images;
    expect(optical).toMatchObject({ height: 1, width: 2, transform: [20, 0, 0, 0, -20, 0] });
    expect([...optical!.data]).toEqual([2.5, 4.5]);
  });

  it('knows the factor from ground sampling distances', () => {
    const hls = dataset('hls-burn-scars'); // 30 m
    const whole = sample({ optical: ramp(4, 4) });
    const coarse = preprocess(whole, [matchResolution({ gsdM: 60 })], { dataset: hls });
    expect([...coarse.images.optical!.data].slice(0, 4)).toEqual([2.5, 2.5, 4.5, 4.5]);
    expect(codeOf(() => preprocess(whole, [matchResolution({ gsdM: 60 })]))).toBe('RESOLUTION_UNKNOWN');
    expect(codeOf(() => matchResolution({}))).toBe('STEP_OPTION');
  });
});
