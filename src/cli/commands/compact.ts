import type { Command } from '../command.js';
import { openPlannedStore } from '../store-argument.js';

/** `gondwana compact STORE`. @throws InputError STORE_EMPTY and what compactStore throws */
export const compact: Command = async (_context, [folder]) => {
  await openPlannedStore(folder!);
  const { compactStore } = await import('../../results/compact.js');
  const { compacted, segments, damaged } = await compactStore(folder!);
  const lines = [
    `${compacted} ${compacted === 1 ? 'record' : 'records'} put together, new segments: ${segments.length}`,
    ...damaged.map((file) => `damaged, left where it is: ${file}`),
  ];
  return {
    document: { compacted, segments, damaged },
    text: lines.join('\n'),
    ...(damaged.length > 0 && { exitCode: 1 }),
  };
};
