import { InputError } from '../errors.js';
import { readPascalVoc, type PascalVocBox } from '../io/pascal-voc.js';
import type { LabelArray, RasterArray } from '../io/raster.js';
import { cropLabels, cropRaster, type Window } from '../io/window.js';
import type { SceneManifest } from '../manifests/dataset-manifest.js';
import { boxMask } from './box-mask.js';
import { defineDataset, type Entry } from './dataset.js';
import type { DatasetIo } from './dataset-io.js';
import { sampleImage } from './image.js';
import type { SampleObject, SampleParts } from './sample.js';

/**
 * NEON tree crowns: crown segmentation on airborne RGB, 0.1 m, the source of GEO-Bench m-NeonTree.
 * Scenes, column strips of the splits, digests, licence: data-manifests/datasets/neon-crowns.json
 */
export const neonCrowns = defineDataset('neon-crowns', {
  entries: regions,

  /** image [time = 1, height, width, band = 3] 0 … 255; target [height, width], 1 = crown. */
  async read(region, io) {
    const scene = await readScene(region.scene, io);
    const labels = cropLabels(scene.mask, windowOf(region, scene));
    return { ...imageOf(region, scene, io), target: { kind: 'mask', labels, stored: labels } };
  },
});

/**
 * The same files as single crowns. A strip cuts the boxes at its edge.
 * data-manifests/datasets/neon-crown-boxes.json
 */
export const neonCrownBoxes = defineDataset('neon-crown-boxes', {
  entries: regions,

  /** image as above; target the boxes of a strip, in its pixels. */
  async read(region, io) {
    const scene = await readScene(region.scene, io);
    const objects = scene.boxes.flatMap((box, id) => boxWithin(box, region.columns, id, scene.image));
    return { ...imageOf(region, scene, io), target: { kind: 'boxes', objects } };
  },
});

interface Region extends Entry {
  readonly scene: SceneManifest;
  readonly columns: readonly [from: number, to: number];
}

/** One sample a region of a scene. */
function regions(split: string, { manifest }: Pick<DatasetIo, 'manifest'>): Region[] {
  return manifest.scenes.flatMap((scene) =>
    scene.regions
      .filter((region) => region.split === split)
      .map(({ columns }) => ({ id: `${scene.id}/x${columns[0]}`, scene, columns })),
  );
}

const windowOf = ({ columns: [from, to] }: Region, { image }: Scene): Window => ({
  ...{ row: 0, column: from },
  ...{ height: image.height, width: to - from },
});

const imageOf = (region: Region, scene: Scene, io: DatasetIo): Pick<SampleParts, 'images' | 'facts'> => {
  const bands = io.modality().bands.map(({ id }) => id);
  return {
    images: { optical: sampleImage({ ...cropRaster(scene.image, windowOf(region, scene)), bands }) },
    facts: { place: region.scene.place },
  };
};

/** The part of a box that lies in a strip of columns; none where it lies outside. */
function boxWithin(
  { xmin, ymin, xmax, ymax }: PascalVocBox,
  [from, to]: Region['columns'],
  id: number,
  { height, width }: RasterArray,
): SampleObject[] {
  const [left, right] = [Math.max(xmin, from), Math.min(xmax, to)];
  if (right <= left) return [];
  const [top, bottom] = [Math.max(0, ymin), Math.min(height, ymax)];
  const visible = (right - left) / (Math.min(width, xmax) - Math.max(0, xmin));
  return [
    { id, label: CROWN, box: [left - from, top, right - from, bottom], ...(visible < 1 && { visible }) },
  ];
}

const CROWN = 1;

interface Scene {
  readonly image: RasterArray;
  readonly mask: LabelArray;
  readonly boxes: readonly PascalVocBox[];
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
  return { image, mask: boxMask(boxes, image.height, image.width, annotations), boxes };
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
