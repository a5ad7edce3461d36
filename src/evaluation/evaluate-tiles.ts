import { ConfusionMatrix } from '../metrics/confusion-matrix.js';
import type { FeatureSource } from '../training/features.js';
import type { SegmentationModel } from '../training/model.js';
import type { Tile } from '../training/tiles.js';
import { batches, predictClasses } from './predict.js';

export interface EvaluationOptions {
  readonly model: SegmentationModel;
  readonly features: FeatureSource;
  readonly classCount: number;
  readonly ignoreIndex: number | null;
  readonly batchSize: number;
  /** Called between batches: gives the event loop a turn, and throws to stop. */
  readonly breathe: () => Promise<void>;
}

export interface TileEvaluation {
  readonly byPlace: ReadonlyMap<string, ConfusionMatrix>;
  /** Class of every pixel, in the order of the tiles: [height, width] each. */
  readonly predictions: readonly Uint8Array[];
}

/** Counts over tiles, place by place. */
export async function evaluateTiles(
  tiles: readonly Tile[],
  options: EvaluationOptions,
): Promise<TileEvaluation> {
  const { model, features, classCount, ignoreIndex, batchSize, breathe } = options;
  const byPlace = new Map<string, ConfusionMatrix>();
  const predictions: Uint8Array[] = [];
  for (const batch of batches(tiles, batchSize)) {
    for (const [index, predicted] of predictClasses(model, features, batch).entries()) {
      const { place, target } = batch[index]!;
      matrixOf(byPlace, place, classCount, ignoreIndex).add(target.data, predicted);
      predictions.push(predicted);
    }
    await breathe();
  }
  return { byPlace, predictions };
}

/** The place's matrix, made when it is first asked for. */
export function matrixOf(
  byPlace: Map<string, ConfusionMatrix>,
  place: string,
  classCount: number,
  ignoreIndex: number | null,
): ConfusionMatrix {
  const matrix = byPlace.get(place) ?? new ConfusionMatrix(classCount, ignoreIndex);
  byPlace.set(place, matrix);
  return matrix;
}

/** All places together. */
export function total(byPlace: ReadonlyMap<string, ConfusionMatrix>, classCount: number): ConfusionMatrix {
  const sum = new ConfusionMatrix(classCount);
  for (const matrix of byPlace.values()) sum.merge(matrix);
  return sum;
}
