import { groupBy } from '../collections.js';
import { encodeLabelPng, encodePng } from '../io/png.js';
import type { SceneDatasetManifest } from '../manifests/scene-manifest.js';
import { ConfusionMatrix } from '../metrics/confusion-matrix.js';
import { segmentationScores } from '../metrics/segmentation-scores.js';
import type { ExampleRow } from '../results/run-record.js';
import type { ResultStore } from '../results/store.js';
import type { Tile } from '../training/tiles.js';

/** Tiles shown of a place that is alone in its split, and of each place where there are several. */
const SHOWN_OF_ONE_PLACE = 2;

/** Keeps a few tiles with truth and prediction as images: the same tiles for every run of a dataset. */
export async function keepExamples(
  tiles: readonly Tile[],
  predictions: readonly Uint8Array[],
  { classes, ignoreIndex }: SceneDatasetManifest,
  store: ResultStore | undefined,
): Promise<ExampleRow[]> {
  if (!store) return [];
  const examples: ExampleRow[] = [];
  for (const index of chooseExamples(tiles)) {
    const { id, split, place, image, target } = tiles[index]!;
    const predicted = { data: predictions[index]!, height: target.height, width: target.width };
    const matrix = new ConfusionMatrix(classes.length, ignoreIndex);
    matrix.add(target.data, predicted.data);
    examples.push({
      id: `${split}/${id}`,
      split,
      place,
      image: await store.putArtifact(encodePng(image), 'png'),
      truth: await store.putArtifact(encodeLabelPng(target), 'png'),
      prediction: await store.putArtifact(encodeLabelPng(predicted), 'png'),
      score: segmentationScores(matrix).mIoU,
    });
  }
  return examples;
}

/** Indices of typical tiles: evenly spread over the tiles of a place, ordered by how much is labelled. */
function chooseExamples(tiles: readonly Tile[]): number[] {
  const places = [...groupBy(tiles.keys(), (index) => tiles[index]!.place).values()];
  const shown = places.length > 1 ? 1 : SHOWN_OF_ONE_PLACE;
  return places.flatMap((indices) => {
    const ordered = indices
      .map((index) => ({ index, labelled: labelledPixels(tiles[index]!) }))
      .sort((a, b) => a.labelled - b.labelled || a.index - b.index);
    return Array.from({ length: Math.min(shown, ordered.length) }, (_, rank) => {
      return ordered[Math.floor(((rank + 1) * ordered.length) / (shown + 1))]!.index;
    });
  });
}

/** Pixels of any class but the first, the background. */
const labelledPixels = ({ target }: Tile): number =>
  Array.from(target.data).filter((label) => label > 0).length;
