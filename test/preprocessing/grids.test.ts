import { describe, expect, it } from 'vitest';
import { createRandom } from '../../src/random.js';
import type { SampleObject, TargetOf } from '../../src/datasets/sample.js';
import { centerCrop, cropSample, randomCrop, tileSample } from '../../src/preprocessing/crop.js';
import { flipHorizontal, flipVertical, quarterTurns } from '../../src/preprocessing/flip.js';
import { focusCrop } from '../../src/preprocessing/focus-crop.js';
import { importance, importanceCrop } from '../../src/preprocessing/importance-crop.js';
import { padTo } from '../../src/preprocessing/pad.js';
import { preprocess } from '../../src/preprocessing/preprocess.js';
import { randomResizedCrop } from '../../src/preprocessing/random-resized-crop.js';
import { codeOf, context, dataset, image, mask, ramp, sample, values } from './sample.js';

const random = () => createRandom(7, 'crops');

describe('crops', () => {
  it('move image, mask, place and labels together', () => {
    const valid = Uint8Array.from({ length: 20 }, (_, at) => (at === 6 ? 0 : 1));
    const optical = ramp(4, 5, { valid, transform: [10, 0, 1000, 0, -10, 2000] });
    const labels = mask([
      [0, 0, 0, 0, 0],
      [0, 1, 2, 3, 0],
      [0, 4, 5, 6, 0],
      [0, 0, 0, 0, 0],
    ]);
    const cropped = preprocess(sample({ optical }, labels), [centerCrop({ size: { height: 2, width: 3 } })]);
    expect([...cropped.images.optical!.data]).toEqual([6, 7, 8, 11, 12, 13]);
    expect([...cropped.images.optical!.valid!]).toEqual([0, 1, 1, 1, 1, 1]);
    expect(cropped.images.optical!.transform).toEqual([10, 0, 1010, 0, -10, 1990]);
    const target = cropped.target as TargetOf<'mask'>;
    expect([...target.labels.data]).toEqual([1, 2, 3, 4, 5, 6]);
    expect(target.stored).toBe(target.labels);
  });

  it('are the same window in modalities of another resolution, or an error where pixels would be cut', () => {
    const both = sample({ fine: ramp(8, 8), coarse: ramp(4, 4) });
    const cropped = preprocess(both, [centerCrop({ size: 4 })]);
    expect([...cropped.images.coarse!.data]).toEqual([5, 6, 9, 10]);
    expect(codeOf(() => preprocess(both, [centerCrop({ size: 6 })]))).toBe('CROP_FRACTION');
  });

  it('are drawn from the generator given: same seed, same place, another place for the next sample', () => {
    const whole = sample({ optical: ramp(20, 30) });
    const corners = (generator = random()) =>
      Array.from(
        { length: 6 },
        () => preprocess(whole, [randomCrop({ size: 5 })], { random: generator }).images.optical!.data[0],
      );
    expect(corners()).toEqual(corners());
    expect(new Set(corners()).size).toBeGreaterThan(3);
  });

  it('need a generator, and an image that is large enough', () => {
    const whole = sample({ optical: ramp(4, 4) });
    expect(codeOf(() => preprocess(whole, [randomCrop({ size: 2 })]))).toBe('RANDOM_MISSING');
    expect(codeOf(() => preprocess(whole, [centerCrop({ size: 5 })]))).toBe('CROP_TOO_LARGE');
    expect(codeOf(() => centerCrop({ size: 2.5 }))).toBe('STEP_OPTION');
  });

  it('tile a sample side by side or so that every pixel is covered', () => {
    const whole = sample({ optical: ramp(4, 7) });
    expect(tileSample(whole, { size: 3 }).map(({ id }) => id)).toEqual(['a/r0-c0', 'a/r0-c3']);
    const covering = tileSample(whole, { size: 3, stride: 3 });
    expect(covering.map(({ id }) => id)).toEqual([
      'a/r0-c0',
      'a/r0-c2',
      'a/r0-c4',
      'a/r1-c0',
      'a/r1-c2',
      'a/r1-c4',
    ]);
    expect([...covering[5]!.images.optical!.data]).toEqual([11, 12, 13, 18, 19, 20, 25, 26, 27]);
  });
});

describe('the focus crop', () => {
  // one labelled pixel, at row 5, column 2
  const labels = Array.from({ length: 8 }, (_, row) =>
    Array.from({ length: 6 }, (_, column) => (row === 5 && column === 2 ? 3 : -1)),
  );
  const whole = sample({ optical: ramp(8, 6) }, mask(labels));

  it('always holds a labelled pixel and lies inside the image', () => {
    const generator = random();
    const step = focusCrop({ size: 3, ignoreIndex: -1 });
    const seen = new Set<string>();
    for (let trial = 0; trial < 60; trial++) {
      const { images, target } = preprocess(whole, [step], { random: generator });
      expect((target as TargetOf<'mask'>).labels.data).toContain(3);
      expect(images.optical!.valid).toBeNull();
      seen.add(String(images.optical!.data[0]));
    }
    expect(seen.size).toBe(3 * 3); // rows 3 … 5, columns 0 … 2
  });

  it('with the fault of the reference may miss the pixel, and counts zeros outside as class 0', () => {
    const generator = random();
    const mados = dataset('mados', { 'focus-crop-offsets': true });
    const crops = Array.from({ length: 80 }, () =>
      preprocess(whole, [focusCrop({ size: 3 })], { dataset: mados, random: generator, checkInput: false }),
    );
    const labelsOf = (crop: (typeof crops)[number]) => [...(crop.target as TargetOf<'mask'>).labels.data];
    expect(crops.some((crop) => !labelsOf(crop).includes(3))).toBe(true);
    expect(crops.every(({ images }) => images.optical!.valid === null)).toBe(true);
    const lowest = sample(
      { optical: ramp(8, 6) },
      mask(labels.map((row, at) => (at === 7 ? row.map(() => 2) : row))),
    );
    const padded = Array.from({ length: 80 }, () =>
      labelsOf(preprocess(lowest, [focusCrop({ size: 3 })], { dataset: mados, random: generator })),
    );
    expect(padded.some((own) => own.includes(0))).toBe(true);
  });

  it('says that a sample has no label, and that it needs a label map', () => {
    const nothing = sample({ optical: ramp(8, 6) }, mask(labels.map((row) => row.map(() => -1))));
    const step = focusCrop({ size: 3, ignoreIndex: -1 });
    expect(codeOf(() => preprocess(nothing, [step], { random: random() }))).toBe('LABELS_NEEDED');
    const one = sample({ optical: ramp(8, 6) });
    expect(codeOf(() => preprocess(one, [step], { random: random() }))).toBe('LABELS_NEEDED');
  });
});

describe('the importance crop', () => {
  const rare = mask([
    [0, 0, 0, 1],
    [0, 0, 0, 1],
  ]);

  it('weighs windows by 1 / share, ignored pixels by a millionth', () => {
    const windows = [
      { row: 0, column: 0, height: 2, width: 2 },
      { row: 0, column: 2, height: 2, width: 2 },
    ];
    // means: 1 / 0.8 = 1.25, and (1.25 + 10) / 2 = 5.625
    const [common, other] = importance(rare.labels, windows, [0.8, 0.1], null);
    expect(common).toBeCloseTo(1.25 / 6.875, 12);
    expect(other).toBeCloseTo(5.625 / 6.875, 12);
    const [ignored] = importance(rare.labels, windows, [0.8, 0.1], 0);
    expect(ignored).toBeCloseTo(1e-6 / (1e-6 + 5.0000005), 12);
  });

  it('prefers rare classes', () => {
    const generator = random();
    const step = importanceCrop({ size: 2, shares: [0.97, 0.03], trials: 8 });
    const hits = Array.from({ length: 40 }, () =>
      preprocess(sample({ optical: ramp(2, 4) }, rare), [step], { random: generator }),
    ).filter(({ target }) => (target as TargetOf<'mask'>).labels.data.includes(1));
    expect(hits.length).toBeGreaterThan(30); // two of three windows would be 13 by chance
  });

  it('names the class whose share is not known', () => {
    const step = importanceCrop({ size: 2, shares: [1] });
    expect(
      codeOf(() => preprocess(sample({ optical: ramp(2, 4) }, rare), [step], { random: random() })),
    ).toBe('CLASS_SHARES');
  });
});

describe('the random resized crop', () => {
  it('gives the size asked for, with labels that exist', () => {
    const labels = mask(
      Array.from({ length: 12 }, (_, row) => Array.from({ length: 9 }, () => (row < 6 ? 4 : 9))),
    );
    const step = randomResizedCrop({ size: { height: 5, width: 7 }, scale: [0.3, 0.6] });
    const { images, target } = preprocess(sample({ optical: ramp(12, 9) }, labels), [step], {
      random: random(),
    });
    expect([images.optical!.height, images.optical!.width]).toEqual([5, 7]);
    const set = new Set((target as TargetOf<'mask'>).labels.data);
    expect([...set].every((label) => label === 4 || label === 9)).toBe(true);
  });
});

describe('flips and turns', () => {
  const two = sample(
    { optical: ramp(2, 3, { transform: [1, 0, 0, 0, -1, 0] }) },
    mask([
      [1, 2, 3],
      [4, 5, 6],
    ]),
  );
  const labelsOf = (steps: Parameters<typeof preprocess>[1]) => {
    const { images, target } = preprocess(two, steps, { random: random() });
    const { labels } = target as TargetOf<'mask'>;
    expect([...images.optical!.data].map((value) => value + 1)).toEqual([...labels.data]);
    return { rows: labels.height, data: [...labels.data], transform: images.optical!.transform };
  };

  it('mirror pixels and labels', () => {
    expect(labelsOf([flipHorizontal({ chance: 1 })]).data).toEqual([3, 2, 1, 6, 5, 4]);
    expect(labelsOf([flipVertical({ chance: 1 })]).data).toEqual([4, 5, 6, 1, 2, 3]);
    expect(labelsOf([flipVertical({ chance: 0 })]).data).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it('turn counter-clockwise, and four quarter turns are none', () => {
    expect(labelsOf([quarterTurns({ turns: 1 })])).toMatchObject({ rows: 3, data: [3, 6, 2, 5, 1, 4] });
    expect(labelsOf([quarterTurns({ turns: 2 })]).data).toEqual([6, 5, 4, 3, 2, 1]);
    expect(labelsOf([quarterTurns({ turns: 3 })]).data).toEqual([4, 1, 5, 2, 6, 3]);
    const quarter = quarterTurns({ turns: 1 });
    const round = labelsOf([quarter, quarter, quarter, quarter]);
    expect(round).toEqual({ rows: 2, data: [1, 2, 3, 4, 5, 6], transform: [1, 0, 0, 0, -1, 0] });
  });

  it('flip about as often as their chance says', () => {
    const generator = random();
    const step = flipHorizontal({ chance: 0.25 });
    const flips = Array.from({ length: 400 }, () => preprocess(two, [step], { random: generator })).filter(
      ({ images }) => images.optical!.data[0] === 2,
    ).length;
    expect(flips).toBeGreaterThan(70); // 100 expected, spread 8.7
    expect(flips).toBeLessThan(130);
  });

  it('take boxes, outlines and areas with them', () => {
    const object: SampleObject = {
      label: 1,
      id: 5,
      box: [1, 0, 3, 1],
      polygons: [[1, 0, 3, 0, 3, 1]],
      area: 2,
    };
    const boxed = sample({ optical: ramp(2, 4) }, { kind: 'boxes', objects: [object] });
    const at = (steps: Parameters<typeof preprocess>[1]): SampleObject =>
      (preprocess(boxed, steps, { random: random() }).target as TargetOf<'boxes'>).objects[0]!;
    expect(at([flipHorizontal({ chance: 1 })]).box).toEqual([1, 0, 3, 1]);
    expect(at([flipVertical({ chance: 1 })])).toMatchObject({
      box: [1, 1, 3, 2],
      polygons: [[1, 2, 3, 2, 3, 1]],
    });
    expect(at([quarterTurns({ turns: 1 })]).box).toEqual([0, 1, 1, 3]);
  });
});

describe('objects in a crop', () => {
  it('are cut at its border, and those outside are left out', () => {
    const objects: SampleObject[] = [
      { label: 0, id: 1, box: [0, 0, 2, 2], area: 4 },
      { label: 0, id: 2, box: [2, 2, 6, 4], area: 8, polygons: [[2, 2, 6, 2, 6, 4, 2, 4]] },
    ];
    const whole = sample({ optical: ramp(6, 8) }, { kind: 'boxes', objects });
    const { target } = preprocess(whole, [centerCrop({ size: 2 })]); // rows 2 … 3, columns 3 … 4
    expect((target as TargetOf<'boxes'>).objects).toEqual([
      { label: 0, id: 2, box: [0, 0, 2, 2], area: 4, polygons: [expect.any(Array)], visible: 0.5 },
    ]);
  });

  it('are gone where their outlines only touch the border, though the box reaches further', () => {
    // an L whose foot lies below the crop and whose stem ends at its right border
    const l = [4, 0, 8, 0, 8, 6, 0, 6, 0, 5, 4, 5];
    const objects: SampleObject[] = [
      { label: 0, id: 1, box: [0, 0, 8, 6], polygons: [l] },
      { label: 0, id: 2, box: [0, 0, 8, 6], polygons: [l, [1, 1, 3, 1, 3, 2]] },
    ];
    const whole = sample({ optical: ramp(8, 8) }, { kind: 'boxes', objects });
    const { target } = cropSample(whole, { row: 0, column: 0, height: 4, width: 4 }, context());
    expect((target as TargetOf<'boxes'>).objects).toEqual([
      { label: 0, id: 2, box: [1, 1, 3, 2], polygons: [[1, 1, 3, 1, 3, 2]], visible: 1 / 3 },
    ]);
  });

  it('have their areas counted where a raster tells them apart', () => {
    const instances = { data: Int16Array.from([0, 1, 1, 0, 2, 1]), height: 2, width: 3 };
    const objects: SampleObject[] = [
      { label: 0, id: 1, box: [1, 0, 3, 2], area: 3 },
      { label: 0, id: 2, box: [1, 1, 2, 2], area: 1 },
    ];
    const whole = sample({ optical: ramp(2, 3) }, { kind: 'instances', objects, instances });
    const { target } = preprocess(whole, [centerCrop({ size: { height: 1, width: 3 } })]);
    const moved = target as TargetOf<'instances'>;
    expect(moved.objects).toEqual([{ label: 0, id: 1, box: [1, 0, 3, 1], area: 2, visible: 0.5 }]);
    expect([...moved.instances!.data]).toEqual([0, 1, 1]);
  });
});

describe('padding', () => {
  it('masks what it adds, and labels it with the ignore index of the dataset', () => {
    const mados = dataset('mados');
    const padded = preprocess(sample({ optical: ramp(1, 2) }, mask([[3, 4]])), [padTo({ multipleOf: 3 })], {
      dataset: mados,
    });
    expect([...padded.images.optical!.data]).toEqual([0, 0, 0, 0, 1, 0, 0, 0, 0]);
    expect([...padded.images.optical!.valid!]).toEqual([0, 0, 0, 1, 1, 0, 0, 0, 0]);
    expect([...(padded.target as TargetOf<'mask'>).labels.data]).toEqual([-1, -1, -1, 3, 4, -1, -1, -1, -1]);
  });

  it('widens labels of 8 bits for an ignore index that they cannot hold', () => {
    const bytes = { data: Uint8Array.from([3, 4]), height: 1, width: 2 };
    const target = { kind: 'mask', labels: bytes, stored: bytes } as const;
    const padded = preprocess(sample({ optical: ramp(1, 2) }, target), [padTo({ size: 3, label: -1 })]);
    expect([...(padded.target as TargetOf<'mask'>).labels.data].slice(0, 4)).toEqual([-1, -1, -1, 3]);
  });

  it('mirrors or repeats, with the masks of the pixels', () => {
    const line = sample({ optical: ramp(1, 3, { valid: Uint8Array.from([1, 0, 1]) }) });
    const wide = { height: 1, width: 7 };
    const reflected = preprocess(line, [padTo({ size: wide, mode: 'reflect' })]).images.optical!;
    expect([...reflected.data]).toEqual([2, 1, 0, 1, 2, 1, 0]);
    expect([...reflected.valid!]).toEqual([1, 0, 1, 0, 1, 0, 1]);
    const repeated = preprocess(line, [padTo({ size: wide, mode: 'replicate' })]).images.optical!;
    expect([...repeated.data]).toEqual([0, 0, 0, 1, 2, 2, 2]);
    expect(codeOf(() => preprocess(line, [padTo({ size: { height: 1, width: 9 }, mode: 'reflect' })]))).toBe(
      'PAD_TOO_WIDE',
    );
  });

  it('needs a label for what it adds, and grids of one size', () => {
    const step = padTo({ size: 4 });
    expect(codeOf(() => preprocess(sample({ optical: ramp(1, 2) }, mask([[3, 4]])), [step]))).toBe(
      'IGNORE_INDEX_MISSING',
    );
    expect(codeOf(() => preprocess(sample({ fine: ramp(2, 2), coarse: ramp(1, 1) }), [step]))).toBe(
      'SIZES_DIFFER',
    );
    expect(codeOf(() => padTo({}))).toBe('STEP_OPTION');
  });

  it('masks added pixels of values', () => {
    const padded = preprocess(sample({ optical: ramp(1, 1) }, values([[5]])), [
      padTo({ size: { height: 1, width: 2 } }),
    ]);
    expect(padded.target).toMatchObject({ width: 2, valid: Uint8Array.from([1, 0]) });
  });
});

describe('several bands and dates', () => {
  it('move pixel by pixel', () => {
    const series = image({
      height: 1,
      width: 2,
      timeCount: 2,
      bands: ['a', 'b'],
      data: [1, 2, 3, 4, 5, 6, 7, 8],
    });
    const flipped = preprocess(sample({ series }), [flipHorizontal({ chance: 1 })], { random: random() });
    expect([...flipped.images.series!.data]).toEqual([3, 4, 1, 2, 7, 8, 5, 6]);
  });
});
