import type { Completion } from './cell-engine.js';

/** Members that every function has. */
const OF_FUNCTIONS = new Set('apply arguments bind call caller length name prototype toString'.split(' '));

/**
 * Members that a function has of its own, such as `display.table`, before those of all functions; otherwise as
 * they came.
 */
export function ownMembersFirst(completion: Completion): Completion {
  const { matches, types } = completion;
  if (!['apply', 'bind', 'call'].every((name) => matches.includes(name))) return completion;
  const isOfAll = matches.map((name) => OF_FUNCTIONS.has(name));
  const order = [...matches.keys()].sort((a, b) => Number(isOfAll[a]) - Number(isOfAll[b]));
  return {
    ...completion,
    matches: order.map((at) => matches[at]!),
    ...(types && { types: order.map((at) => types[at]!) }),
  };
}
