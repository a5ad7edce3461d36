import type { EncoderSample } from '../encoders/encoder-sample.js';
import { countOperations } from '../engine/shapes/count-operations.js';
import { GondwanaError } from '../errors.js';
import type { TaskModel } from '../training/task-model.js';

/** Multiply–adds of one forward pass for one input, counted from the shapes of a model that is built. */
export interface ForwardCost {
  readonly encoder: number;
  readonly decoder: number;
}

/** @returns null where the model uses what cannot be counted (COST_UNKNOWN) */
export function forwardCost(
  model: Pick<TaskModel, 'parameters' | 'encode' | 'decode'>,
  input: EncoderSample,
): ForwardCost | null {
  const { height, width } = Object.values(input.images)[0]!;
  try {
    const { counts } = countOperations((name) => {
      for (const parameter of model.parameters.all) name(parameter.variable, parameter.name);
      const maps = model.encode([input], { training: false });
      model.decode.forward(maps, { height, width }, { training: false });
    });
    const cost = { encoder: 0, decoder: 0 };
    for (const [name, { multiplyAdds }] of counts)
      cost[name.startsWith('decoder/') ? 'decoder' : 'encoder'] += multiplyAdds;
    return cost;
  } catch (error) {
    if (error instanceof GondwanaError && error.code === 'COST_UNKNOWN') return null;
    throw error;
  }
}
