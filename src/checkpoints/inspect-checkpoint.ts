import { factOf, firstParts, type Describer } from '../io/inspect/description.js';
import { openCheckpoint } from './checkpoint.js';

/** A weight file: its tensors by name, and what else it says. Nothing of it is run and no tensor is read. */
export const describeCheckpoint: Describer = async (file, options = {}) => {
  const { container, tensors, unwrapped, unsupported, names, metadata, close } = await openCheckpoint(file);
  try {
    const { chosen, notes } = firstParts([...tensors], options, 'tensors');
    const sizes = [...tensors.values()].map(({ size }) => size);
    return {
      kind: 'checkpoint',
      facts: {
        container,
        tensors: tensors.size,
        values: sizes.reduce((sum, size) => sum + size, 0),
        ...(unwrapped.length > 0 && { unwrapped: [...unwrapped] }),
        ...(names.length > 0 && { names: factOf(names) }),
        ...(metadata.size > 0 && { metadata: factOf(metadata) }),
      },
      parts: chosen.map(([name, { dtype, shape, isParameter }]) => ({
        kind: 'tensor',
        name,
        facts: { shape: [...shape], type: dtype, ...(isParameter && { isParameter }) },
      })),
      notes: [...notes, ...[...unsupported].map(([name, why]) => `${name}: ${why}`)],
    };
  } finally {
    close();
  }
};
