import type { Sample } from '../datasets/sample.js';
import { moveImage, padMove } from '../preprocessing/grid-move.js';

/** Sides of a detector's input are filled up to a multiple of this, so that maps are as many times smaller as they say. */
export const SIDE_MULTIPLE = 32;

export const roundedUp = (side: number): number => Math.ceil(side / SIDE_MULTIPLE) * SIDE_MULTIPLE;

/** Zeros at the right and below, which the target knows nothing of. Reference: torchvision, GeneralizedRCNNTransform. */
export const filledUp = (sample: Sample): Sample => ({
  ...sample,
  images: Object.fromEntries(
    Object.entries(sample.images).map(([name, image]) => {
      const edges = {
        ...{ top: 0, left: 0 },
        bottom: roundedUp(image.height) - image.height,
        right: roundedUp(image.width) - image.width,
      };
      const isFull = edges.bottom === 0 && edges.right === 0;
      return [name, isFull ? image : moveImage(image, padMove(edges, 'constant'))];
    }),
  ),
});
