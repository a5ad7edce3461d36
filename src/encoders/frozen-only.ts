import { UsageError } from '../errors.js';

/** What a run is told that would train an encoder which is a model in a file. */
export const frozenOnly = (encoder: string): UsageError =>
  new UsageError('ENCODER_FROZEN_ONLY', 'An encoder from an ONNX file has no gradients: it stays frozen.', {
    where: encoder,
    hint: 'Set encoderMode to "frozen"; to fine-tune it, bring its checkpoint and code with defineEncoder.',
  });

/** What a run is told that would start it from random numbers. */
export const neverRandom = (encoder: string): UsageError =>
  new UsageError('ENCODER_FROZEN_ONLY', 'An encoder from an ONNX file cannot start from random numbers.', {
    where: encoder,
    hint: 'Leave its weights as they are: the file holds them.',
  });
