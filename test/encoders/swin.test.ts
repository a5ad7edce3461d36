import { afterEach, describe, expect, it } from 'vitest';
import { AS_PUBLISHED, CORRECTED } from '../../src/encoders/define-encoder.js';
import { gfmSwin } from '../../src/encoders/gfm-swin.js';
import { adaptBands } from '../../src/encoders/swin/adapt-bands.js';
import { resizeBiasTable } from '../../src/encoders/swin/resize-bias-table.js';
import { swin } from '../../src/encoders/swin.js';
import { startEngine } from '../../src/engine/engine.js';
import { tf } from '../../src/engine/tf.js';
import { createShapeScope, type ParameterShape } from '../../src/layers/parameters.js';
import { sizeOf } from '../../src/shapes.js';
import { images, smallEncoder } from '../support/encoders.js';

await startEngine();
afterEach(() => tf.disposeVariables());

const evaluation = { training: false };
const small = { width: 8, depths: [2, 1], heads: [2, 4], windowSize: 4 };

describe('a Swin transformer', () => {
  it('of version 2, tiny, has the published count of parameters', () => {
    const shapes: ParameterShape[] = [];
    const tiny = { width: 96, depths: [2, 2, 6, 2], heads: [3, 6, 12, 24], windowSize: 16 };
    swin.build(
      createShapeScope(shapes),
      { ...tiny, version: 2, layout: 'timm', imageSize: [256, 256] },
      CORRECTED,
    );
    // GEO-Bench, models.json: swinv2_tiny_window16_256 without the classifier
    expect(shapes.reduce((sum, { shape }) => sum + sizeOf(shape), 0)).toBe(27_578_154);
  });

  it.each(['torchvision', 'timm'] as const)(
    'in the layout of %s takes maps that windows do not divide',
    (layout) => {
      const { encoder } = smallEncoder(swin, { ...small, version: 1, layout, imageSize: [44, 28] });
      const input = { images: { optical: images(1, 44, 28, 3) } };
      tf.tidy(() => {
        const maps = encoder.forward(input, evaluation);
        expect(maps.map(({ shape }) => shape)).toEqual([
          [1, 11, 7, 8],
          [1, 6, 4, 16],
        ]);
        expect(maps[0]!.isFinite().all().dataSync()[0]).toBe(1);
      });
    },
  );

  it('of version 2 gives the same in both layouts, whose biases have other names', () => {
    const hyper = { ...small, windowSize: 4, version: 2 };
    const timm = smallEncoder(swin, { ...hyper, layout: 'timm', imageSize: [32, 32] });
    const torchvision = smallEncoder(swin, { ...hyper, layout: 'torchvision' });
    tf.tidy(() => {
      for (const { name, variable } of timm.store.all) {
        if (!name.endsWith('q_bias')) continue;
        const at = name.slice('model/'.length, -'q_bias'.length);
        const width = variable.shape[0]!;
        const [queries, keys, values] = [1, 2, 3].map((seed) =>
          tf.randomNormal([width], 0, 1, 'float32', seed),
        );
        variable.assign(queries!);
        timm.parameter(`${at}v_bias`)!.variable.assign(values!);
        // the keys' part has no effect
        torchvision.parameter(`${at}qkv/bias`)!.variable.assign(tf.concat([queries!, keys!, values!]));
      }
      const input = { images: { optical: images(2, 32, 32, 3) } };
      const [one, other] = [timm, torchvision].map(({ encoder }) => encoder.forward(input, evaluation)[1]!);
      expect(one!.dataSync()).toEqual(other!.dataSync());
    });
  });

  it('looks past its windows from the second block on', () => {
    const first = (depth: number): number[] =>
      tf.tidy(() => {
        const { encoder } = smallEncoder(swin, {
          ...{ ...small, depths: [depth], heads: [2], version: 2, layout: 'torchvision' },
        });
        const image = images(1, 32, 32, 3);
        // one patch outside the first window changes
        const marked = tf.add(
          image,
          tf.pad(tf.ones([1, 4, 4, 3]), [
            [0, 0],
            [0, 28],
            [16, 12],
            [0, 0],
          ]),
        );
        const [before, after] = [image, marked].map(
          (one) => encoder.forward({ images: { optical: one as typeof image } }, evaluation)[0]!,
        );
        const change = tf.abs(tf.sub(before!, after!)).max(3);
        return [...tf.slice(change, [0, 0, 0], [1, 4, 4]).reshape([-1]).dataSync()];
      });
    expect(Math.max(...first(1))).toBe(0);
    expect(Math.max(...first(2))).toBeGreaterThan(0);
  });

  it('of timm or the original is told the size of images', () => {
    expect(() => smallEncoder(swin, { ...small, version: 1, layout: 'timm' })).toThrow(
      expect.objectContaining({
        code: 'HYPERPARAMETERS_INVALID',
        message: expect.stringContaining('imageSize'),
      }),
    );
  });
});

describe('lists of stages', () => {
  it.each([
    [{ heads: [2] }, 'one number of heads a stage'],
    [{ heads: [2, 3] }, '16 channels of stage 1 are no multiple of 3'],
    [{ outputStages: [0, 2] }, 'stages are 0 to 1'],
  ])('that do not agree are told: %j', (change, message) => {
    const build = (): unknown => smallEncoder(gfmSwin, { ...small, imageSize: [32, 32], ...change });
    expect(build).toThrow(
      expect.objectContaining({ code: 'HYPERPARAMETERS_INVALID', message: expect.stringContaining(message) }),
    );
  });
});

describe('GFM', () => {
  const hyperparameters = { ...small, imageSize: [32, 32] };

  it('takes its features behind the mergings, so that the last two are of one size', () => {
    const { encoder } = smallEncoder(gfmSwin, hyperparameters);
    expect(encoder.features).toEqual([
      { channels: 16, stride: 8 },
      { channels: 16, stride: 8 },
    ]);
  });

  it('refuses images of another size', () => {
    const { encoder } = smallEncoder(gfmSwin, hyperparameters);
    const run = (): void =>
      tf.tidy(() => void encoder.forward({ images: { optical: images(1, 32, 40, 3) } }, evaluation));
    expect(run).toThrow(
      expect.objectContaining({ code: 'SHAPE_MISMATCH', message: expect.stringContaining('32 × 40') }),
    );
  });

  it('exchanges rows and columns of a resized table only as published', () => {
    // the value of a place is its row, of −3 … 3
    const byRow = Float32Array.from({ length: 49 }, (_, at) => Math.floor(at / 7));
    const rule = (context: typeof CORRECTED) =>
      gfmSwin
        .weights(hyperparameters, context)
        .adapt!.find(({ match }) => match.test('layers.0.blocks.0.attn.relative_position_bias_table'))!;
    const side = (context: typeof CORRECTED, step: number): boolean => {
      const { data } = rule(context).adapt({ data: byRow, shape: [49, 1] }, [81, 1]);
      return Math.abs(data[0]! - data[step]!) < 1e-6;
    };
    expect([side(CORRECTED, 1), side(CORRECTED, 9)]).toEqual([true, false]);
    expect([side(AS_PUBLISHED, 1), side(AS_PUBLISHED, 9)]).toEqual([false, true]);
  });
});

describe('resizeBiasTable', () => {
  it('keeps the centre and the corners, which both windows have', () => {
    const data = Float32Array.from({ length: 49 }, (_, at) => Math.sin(at));
    const { data: resized, shape } = resizeBiasTable({ data, shape: [49, 1] }, [81, 1]);
    expect(shape).toEqual([81, 1]);
    expect(resized[40]).toBeCloseTo(data[24]!, 6);
    // the last place ends within the bisection's step of the border
    for (const [now, then] of [
      [0, 0],
      [8, 6],
      [72, 42],
      [80, 48],
    ] as const)
      expect(resized[now]).toBeCloseTo(data[then]!, 4);
  });

  it.each([
    [5, 6],
    [3, 4],
    [6, 10],
    [4, 12],
  ])('reaches a window of %i → %i, for which the reference stops', (from, to) => {
    const [old, wanted] = [(2 * from - 1) ** 2, (2 * to - 1) ** 2];
    const { data } = resizeBiasTable({ data: new Float32Array(old).fill(0.5), shape: [old, 1] }, [wanted, 1]);
    expect(data).toHaveLength(wanted);
    expect(Math.max(...data.map((value) => Math.abs(value - 0.5)))).toBeLessThan(1e-6);
  });

  it('leaves a table of other heads as it is, so that loading names its shape', () => {
    const given = { data: new Float32Array(98), shape: [49, 2] };
    expect(resizeBiasTable(given, [81, 4])).toEqual(given);
  });
});

describe('adaptBands', () => {
  it('takes red, green and blue out of twelve bands', () => {
    const data = Float32Array.from({ length: 12 }, (_, band) => band);
    const { data: rgb, shape } = adaptBands({ data, shape: [1, 12, 1, 1] }, [1, 3, 1, 1]);
    expect([...rgb]).toEqual([3, 2, 1]);
    expect(shape).toEqual([1, 3, 1, 1]);
  });

  it('leaves other filters as they are, so that loading names their shape', () => {
    const given = { data: new Float32Array(4), shape: [1, 4, 1, 1] };
    expect(adaptBands(given, [1, 3, 1, 1])).toBe(given);
  });
});
