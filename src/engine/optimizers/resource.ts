import { rawOp } from '../ops/raw.js';
import { tf, type Tensor } from '../tf.js';

/** A variable of the native engine itself, which its fused ops move in place. */
export interface Resource {
  readonly handle: Tensor;
  assign(value: Tensor): void;
  /** In the caller's scope. */
  read(): Tensor;
  dispose(): void;
}

let count = 0;

const FLOAT = { dtype: { type: 'float32' } } as const;

/** Float32 of this shape, without a value until it is assigned. Native engine alone. */
export function createResource(shape: readonly number[]): Resource {
  const name = `gondwana-${process.pid}-${count++}`;
  const attributes = { ...FLOAT, shape: { shape }, container: { text: '' }, shared_name: { text: name } };
  const handle = tf.keep(rawOp('VarHandleOp', [], attributes)[0]!);
  return {
    handle,
    assign: (value) => void rawOp('AssignVariableOp', [handle, value], FLOAT, 0),
    read: () => rawOp('ReadVariableOp', [handle], FLOAT)[0]!,
    dispose() {
      rawOp('DestroyResourceOp', [handle], { ignore_lookup_error: { bool: true } }, 0);
      handle.dispose();
    },
  };
}
