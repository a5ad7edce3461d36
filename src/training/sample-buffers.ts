import type { Sample } from '../datasets/sample.js';

/** The memory of a sample's images and target, each part once. */
export function buffersOf({ images, target }: Sample): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const visit = (value: unknown): void => {
    if (ArrayBuffer.isView(value)) buffers.add(value.buffer as ArrayBuffer);
    else if (typeof value === 'object' && value !== null)
      for (const member of Object.values(value)) visit(member);
  };
  visit(images);
  visit(target);
  return [...buffers];
}
