import { defineTortilla } from './define.js';
import { rowNamed } from './container.js';
import { maskOf } from './targets.js';

/**
 * CaFFe: zones of glacier fronts, four with "no information", 512 × 512 px; amplitude of several radar satellites.
 * Classes, splits, known faults: data-manifests/datasets/gb2-caffe.json
 */
export const caffe = defineTortilla('gb2-caffe', {
  parts: { sar: 'img' },
  target: ({ rows }, io) => maskOf(rowNamed(rows, 'mask'), io),
});
