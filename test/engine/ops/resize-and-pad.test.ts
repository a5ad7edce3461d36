import { mirrorPad, constantPad, resize, type ResizeOptions } from '../../../src/engine/ops/index.js';
import { checkOps, type OpCase } from '../gradient-check.js';

const IMAGE = { shape: [2, 4, 5, 2] };

const resizing = (name: string, size: [number, number], options: ResizeOptions): OpCase => ({
  name: `${name} to ${size.join(' × ')}`,
  inputs: [IMAGE],
  run: (x) => resize(x!, size, options),
});

checkOps('resizing', [
  resizing('bilinear', [7, 9], { mode: 'bilinear' }),
  resizing('bilinear', [3, 2], { mode: 'bilinear' }),
  resizing('bilinear with aligned corners', [7, 9], { mode: 'bilinear', alignCorners: true }),
  resizing('bilinear with aligned corners', [1, 3], { mode: 'bilinear', alignCorners: true }),
  resizing('bilinear by a factor', [6, 7], { mode: 'bilinear', scale: [1.5, 1.5] }),
  resizing('antialiased bilinear', [3, 2], { mode: 'bilinear', antialias: true }),
  resizing('bicubic', [7, 9], { mode: 'bicubic' }),
  resizing('bicubic of the same rows', [4, 9], { mode: 'bicubic' }),
  resizing('bicubic with aligned corners', [7, 3], { mode: 'bicubic', alignCorners: true }),
  resizing('antialiased bicubic', [3, 2], { mode: 'bicubic', antialias: true }),
  resizing('nearest', [7, 9], { mode: 'nearest' }),
  resizing('nearest', [3, 2], { mode: 'nearest' }),
  resizing('nearest by a factor', [6, 7], { mode: 'nearest', scale: [1.5, 1.5] }),
  resizing('nearest-exact', [7, 3], { mode: 'nearest-exact' }),
  resizing('area', [3, 2], { mode: 'area' }),
  resizing('area', [4, 5], { mode: 'area' }),
  {
    name: 'nearest of integer labels',
    inputs: [{ shape: [1, 2, 3, 1], values: [255, 4, 2, 0, 3, 1], dtype: 'int32' }],
    run: (x) => resize(x!, [5, 4], { mode: 'nearest' }),
    forwardOnly: true,
  },
]);

checkOps('padding', [
  {
    name: 'reflect padding',
    inputs: [IMAGE],
    run: (x) =>
      mirrorPad(
        x!,
        [
          [0, 0],
          [3, 1],
          [2, 4],
          [0, 0],
        ],
        'reflect',
      ),
  },
  {
    name: 'symmetric padding',
    inputs: [IMAGE],
    run: (x) =>
      mirrorPad(
        x!,
        [
          [0, 0],
          [4, 0],
          [1, 5],
          [0, 0],
        ],
        'symmetric',
      ),
  },
  {
    name: 'constant padding',
    inputs: [IMAGE],
    run: (x) =>
      constantPad(
        x!,
        [
          [0, 0],
          [1, 0],
          [0, 2],
          [0, 0],
        ],
        -1.5,
      ),
  },
]);
