import { InputError } from '../errors.js';
import { readPascalVoc } from '../io/pascal-voc.js';
import type { LabelArray, RasterArray } from '../io/raster.js';
import { cropLabels, cropRaster } from '../io/window.js';
import type { SceneManifest } from '../manifests/dataset-manifest.js';
import { boxMask } from './box-mask.js';
import { defineDataset } from './dataset.js';
import type { DatasetIo } from './dataset-io.js';
import { sampleImage } from './image.js';

/**
 * NEON tree crowns: crown segmentation on airborne RGB, 0.1 m, the source of GEO-Bench m-NeonTree.
 * Scenes, column strips of the splits, digests, licence: data-manifests/datasets/neon-crowns.json
 */
export const neonCrowns = defineDataset('neon-crowns', {
  /** One sample a region of a scene. */
  entries: (split, { manifest }) =>
    manifest.scenes.flatMap((scene) =>
      scene.regions
        .filter((region) => region.split === split)
        .map(({ columns }) => ({ id: `${scene.id}/x${columns[0]}`, scene, columns })),
    ),

  /** image [time = 1, height, width, band = 3] 0 … 255; target [height, width], 1 = crown. */
  async read({ scene, columns: [from, to] }, io) {
    const { image, mask } = await readScene(scene, io);
    const window = { row: 0, column: from, height: image.height, width: to - from };
    const bands = io.modality().bands.map(({ id }) => id);
    const labels = cropLabels(mask, window);
    return {
      images: { optical: sampleImage({ ...cropRaster(image, window), bands }) },
      target: { kind: 'mask', labels, stored: labels },
      facts: { place: scene.place },
    };
  },
});

interface Scene {
  readonly image: RasterArray;
  readonly mask: LabelArray;
}

/** The scene read last by each folder: its strips are asked for one after the other, and an image takes a second. */
const lastScenes = new WeakMap<DatasetIo, { readonly id: string; readonly scene: Promise<Scene> }>();

function readScene(scene: SceneManifest, io: DatasetIo): Promise<Scene> {
  const known = lastScenes.get(io);
  if (known?.id === scene.id) return known.scene;
  const reading = readSceneFiles(scene, io);
  lastScenes.set(io, { id: scene.id, scene: reading });
  reading.catch(() => lastScenes.delete(io)); // a file that is mended can be read again
  return reading;
}

async function readSceneFiles(scene: SceneManifest, io: DatasetIo): Promise<Scene> {
  const image = await io.pixels(scene.image);
  checkScene(image, scene, io);
  const annotations = io.path(scene.annotations);
  const { boxes, width, height } = await readPascalVoc(annotations);
  if (height !== image.height || width !== image.width) {
    throw new InputError(
      'MASK_SIZE',
      `The boxes are drawn on ${width} × ${height} pixels, the image has ${image.width} × ${image.height}.`,
      {
        where: annotations,
        hint: `They belong to another image than ${scene.image}.`,
      },
    );
  }
  return { image, mask: boxMask(boxes, image.height, image.width, annotations) };
}

function checkScene(image: RasterArray, scene: SceneManifest, { manifest, modality }: DatasetIo): void {
  const expected = `${scene.height} × ${scene.width} × ${modality().bands.length}`;
  const got = `${image.height} × ${image.width} × ${image.bandCount}`;
  if (got !== expected) {
    throw new InputError(
      'IMAGE_SIZE',
      `The image is ${got} (height × width × band), the manifest says ${expected}.`,
      {
        where: scene.image,
        hint: `Correct the scene "${scene.id}" in data-manifests/datasets/${manifest.id}.json, or restore the file.`,
      },
    );
  }
}
