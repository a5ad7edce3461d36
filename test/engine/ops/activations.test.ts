import {
  gelu,
  geluTanh,
  logSoftmax,
  quickGelu,
  relu,
  relu6,
  sigmoid,
  silu,
  softmax,
  tanh,
} from '../../../src/engine/ops/index.js';
import { checkOps } from '../gradient-check.js';

const ANY = { shape: [3, 2, 5] };
/** Steps of 0.25 from −3.625: clear of the kinks at 0 and 6. */
const SPACED = { shape: [3, 2, 5], values: 'spaced' } as const;

checkOps('activations', [
  { name: 'relu', inputs: [SPACED], run: (x) => relu(x!) },
  { name: 'relu6', inputs: [{ ...SPACED, shape: [8, 8] }], run: (x) => relu6(x!) },
  { name: 'gelu', inputs: [ANY], run: (x) => gelu(x!) },
  { name: 'gelu by tanh', inputs: [ANY], run: (x) => geluTanh(x!) },
  { name: 'quick gelu', inputs: [ANY], run: (x) => quickGelu(x!) },
  { name: 'silu', inputs: [ANY], run: (x) => silu(x!) },
  { name: 'sigmoid', inputs: [ANY], run: (x) => sigmoid(x!) },
  { name: 'tanh', inputs: [ANY], run: (x) => tanh(x!) },
  { name: 'softmax', inputs: [ANY], run: (x) => softmax(x!) },
  { name: 'softmax over the first axis', inputs: [ANY], run: (x) => softmax(x!, 0) },
  { name: 'log softmax', inputs: [ANY], run: (x) => logSoftmax(x!) },
  { name: 'log softmax over the middle axis', inputs: [ANY], run: (x) => logSoftmax(x!, 1) },
]);
