import path from 'node:path';
import { InputError } from '../errors.js';
import { readPascalVoc } from '../io/pascal-voc.js';
import type { RasterArray } from '../io/raster.js';
import { readRaster } from '../io/read-raster.js';
import type { SceneDatasetManifest, SceneManifest } from '../manifests/scene-manifest.js';
import { boxMask } from './box-mask.js';
import { defineSceneDataset, type Sample } from './loaded-dataset.js';
import { cropLabels, cropRaster } from '../io/window.js';

/**
 * NEON tree crowns: crown segmentation on airborne RGB, 0.1 m, the source of GEO-Bench m-NeonTree.
 * Scenes, column strips of the splits, digests, licence: data-manifests/datasets/neon-crowns.json
 */
export const neonCrowns = defineSceneDataset('neon-crowns', {
  /** One sample a region: image [height, width, band = 3] 0 … 255; target [height, width], 1 = crown. */
  async read(manifest, root, { signal, onProgress }) {
    const samples: Sample[] = [];
    for (const [index, scene] of manifest.scenes.entries()) {
      signal?.throwIfAborted();
      onProgress?.(index / manifest.scenes.length, `reading ${scene.image}`);
      samples.push(...(await readScene(manifest, scene, root)));
    }
    return samples;
  },
});

async function readScene(
  manifest: SceneDatasetManifest,
  scene: SceneManifest,
  root: string,
): Promise<Sample[]> {
  const image = await readRaster(path.join(root, scene.image));
  checkScene(image, manifest, scene);
  const annotations = path.join(root, scene.annotations);
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
  const mask = boxMask(boxes, image.height, image.width, annotations);
  return scene.regions.map(({ split, columns: [from, to] }) => {
    const window = { row: 0, column: from, height: image.height, width: to - from };
    return {
      id: `${scene.id}/x${from}`,
      split,
      place: scene.place,
      image: cropRaster(image, window),
      target: cropLabels(mask, window),
    };
  });
}

function checkScene(image: RasterArray, manifest: SceneDatasetManifest, scene: SceneManifest): void {
  const expected = `${scene.height} × ${scene.width} × ${manifest.bands.length}`;
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
