import { defineStudy } from 'gondwana';

/**
 * One learning rate for encoder and decoder, as in the paper; it has the best and the worst encoder of each dataset.
 */
export default defineStudy({
  name: 'frozen-vs-fine-tuned',
  title: 'Does fine-tuning beat a frozen encoder?',
  source: 'PANGAEA, Table 12',
  protocol: 'pangaea',
  datasets: ['hls-burn-scars', 'mados', 'sen1floods11'],
  encoders: ['croma-optical', 'gfm-swin', 'prithvi-v1-100m', 'remoteclip', 'ssl4eo-dino'],
  decoders: ['upernet'],
  vary: { encoderMode: ['frozen', 'fine-tuned'] },
  seeds: [0, 1, 2, 3, 4],
  quick: { seeds: [0], settings: { epochs: 2 } },
});
