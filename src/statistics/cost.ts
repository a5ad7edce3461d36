/** A model's score and what it costs, in any unit. */
export interface CostPoint {
  readonly model: string;
  readonly cost: number;
  /** Higher is better. */
  readonly score: number;
}

/**
 * Whether each model is worth its cost: no other scores at least as much for less, or more for as much (the Pareto front).
 * Equal points are both on it.
 */
export const isOnCostFront = (points: readonly CostPoint[]): boolean[] =>
  points.map(
    (own) =>
      !points.some(
        (other) =>
          other.cost <= own.cost &&
          other.score >= own.score &&
          (other.cost < own.cost || other.score > own.score),
      ),
  );
