import { InputError } from '../../errors.js';
import { defineDataset } from '../dataset.js';
import type { DatasetIo } from '../dataset-io.js';
import { joinBands, repeatPixels, sampleImage } from '../image.js';
import type { SampleImage } from '../sample.js';

/** Pixel sizes of the release, metres; one folder each. */
const RESOLUTIONS = [10, 20, 60];

/**
 * MADOS: marine pollution, 240 × 240 px, 11 Sentinel-2 bands, 10 m; most pixels have no label.
 * Bands, classes, splits, statistics, licence, known faults: data-manifests/datasets/mados.json
 */
export const mados = defineDataset('mados', {
  /** Scenes in sorted order, crops of a scene sorted as text; the list of the split says which crops belong. */
  async entries(split, io) {
    const list = `splits/${split}_X.txt`;
    const cropsOfScene = new Map<string, string[]>();
    for (const name of await io.lines(list)) {
      const [, scene, crop] = /^(.+)_(\d+)$/.exec(name) ?? [];
      if (scene === undefined || crop === undefined) throw unknownName(name, io.path(list));
      cropsOfScene.set(scene, [...(cropsOfScene.get(scene) ?? []), crop]);
    }
    const entries: Crop[] = [];
    for (const [scene, crops] of [...cropsOfScene].sort(([a], [b]) => (a < b ? -1 : 1)))
      entries.push(...(await cropsIn(scene, crops.sort(), io)));
    return entries;
  },

  /**
   * optical [time = 1, height, width, band = 11], Rayleigh-corrected reflectance, bands of 20 and 60 m with every pixel
   * repeated; target [height, width], −1 = no label.
   */
  async read({ bands, mask }, io) {
    const images: SampleImage[] = [];
    for (const [place, { file, resolution }] of bands.entries()) {
      const band = io.modality().bands[place]!;
      const raster = await io.pixels(file, [0]);
      images.push(repeatPixels(sampleImage({ ...raster, bands: [band.id] }, io.path(file)), resolution / 10));
    }
    return {
      images: { optical: joinBands(images, io.path(mask)) },
      target: await io.labels(mask),
      facts: { wavelengths: bands.map(({ wavelengthNm }) => wavelengthNm) },
    };
  },
});

interface BandFile {
  readonly file: string;
  readonly wavelengthNm: number;
  /** Metres. */
  readonly resolution: number;
}

interface Crop {
  readonly id: string;
  /** Ascending by wavelength: the numbers differ between Sentinel-2A and 2B, their order does not. */
  readonly bands: readonly BandFile[];
  readonly mask: string;
}

async function cropsIn(scene: string, crops: readonly string[], io: DatasetIo): Promise<Crop[]> {
  const bandsOfCrop = new Map<string, BandFile[]>();
  for (const resolution of RESOLUTIONS) {
    const folder = `${scene}/${resolution}`;
    for (const name of await io.list(folder)) {
      const [, wavelength, crop] = /_L2R_rhorc_(\d+)_(\d+)\.tif$/.exec(name) ?? [];
      if (wavelength === undefined || crop === undefined) continue;
      const band = { file: `${folder}/${name}`, wavelengthNm: Number(wavelength), resolution };
      bandsOfCrop.set(crop, [...(bandsOfCrop.get(crop) ?? []), band]);
    }
  }
  const bandCount = io.modality().bands.length;
  return crops.map((crop) => {
    const bands = (bandsOfCrop.get(crop) ?? []).sort((a, b) => a.wavelengthNm - b.wavelengthNm);
    if (bands.length === bandCount)
      return { id: `${scene}_${crop}`, bands, mask: `${scene}/10/${scene}_L2R_cl_${crop}.tif` };
    throw new InputError(
      'SPLIT_FILES',
      `Crop ${crop} of ${scene} has ${bands.length} band files; a crop has ${bandCount}.`,
      {
        where: io.path(scene),
        hint: 'Unpack the release again: its folders 10, 20 and 60 hold one file a band.',
      },
    );
  });
}

const unknownName = (name: string, where: string): InputError =>
  new InputError('SPLIT_LIST', `"${name.slice(0, 80)}" names no crop.`, {
    where,
    hint: 'A line reads Scene_<number>_<crop>: restore the list of the release.',
  });
