import { emptySteps } from './arrays.js';
import { stackTimes } from './image.js';
import type { SampleImage } from './sample.js';

/** The time steps of an image at the places; null is a step of zeros, named `missing`, that counts as no value. */
export function takeSteps(image: SampleImage, places: readonly (number | null)[]): SampleImage {
  if (places.length === image.timeCount && places.every((place, at) => place === at)) return image;
  const { steps: names, ...unnamed } = image;
  const empty = { ...emptySteps(unnamed, 1, false), ...(names && { steps: ['missing'] }) };
  return stackTimes(places.map((place) => (place === null ? empty : stepOf(image, place))));
}

function stepOf(image: SampleImage, place: number): SampleImage {
  const length = image.data.length / image.timeCount;
  const [from, to] = [place * length, (place + 1) * length];
  return {
    ...image,
    data: image.data.subarray(from, to),
    valid: image.valid && image.valid.subarray(from, to),
    timeCount: 1,
    dates: [image.dates[place] ?? null],
    ...(image.steps && { steps: [image.steps[place]!] }),
  };
}
