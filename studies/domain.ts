import { defineStudy } from 'gondwana';

/**
 * Differs: the paper tests on northern scenes of Five-Billion-Pixels, whose list is not published. Here the gap is that
 * between the two scored splits of Sen1Floods11: `test`, of the regions of the training split, and `bolivia`, which its
 * authors held out.
 */
export default defineStudy({
  name: 'domain',
  title: 'How much is lost in a region that was never trained on?',
  source: 'PANGAEA, Table 11',
  protocol: 'pangaea',
  datasets: ['sen1floods11'],
  encoders: ['croma-optical', 'dofa-base', 'gfm-swin', 'prithvi-v1-100m', 'remoteclip', 'ssl4eo-dino'],
  decoders: ['upernet'],
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
