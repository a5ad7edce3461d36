import { groupBy } from '../collections.js';
import type { MimeBundle } from '../display/mime.js';
import { formatNumber } from '../display/numbers.js';
import { classColors } from '../display/palette.js';
import { colorPixels, labelPixels, sideBySide, toPicture } from '../display/picture.js';
import { labelsBundle, rasterBundle } from '../display/raster-output.js';
import { sheetBundle } from '../display/sheet.js';
import { showAs } from '../display/showable.js';
import type { SceneDatasetManifest } from '../manifests/scene-manifest.js';
import { datasetFacts } from '../manifests/manifest-sheets.js';
import { readSensorManifest } from '../manifests/sensor-manifest.js';
import type { LoadedDataset, LoadedSample } from './loaded-dataset.js';

/** What a dataset on disk really holds: samples, pixels and shares of the classes, split by split. */
export function datasetBundle({ manifest, samples }: LoadedDataset): MimeBundle {
  const splits = groupBy(samples, ({ split }) => split);
  const rows = manifest.splits.map((split) => {
    const own = splits.get(split) ?? [];
    const counts = classCounts(own, manifest.classes.length);
    const pixels = own.reduce((sum, { target }) => sum + target.data.length, 0);
    const shares = manifest.classes.map((name, index) => [
      `${name} %`,
      pixels === 0 ? null : (100 * counts[index]!) / pixels,
    ]);
    return {
      split,
      samples: own.length,
      pixels,
      ...(Object.fromEntries(shares) as object),
    };
  });
  return sheetBundle({
    title: manifest.title,
    facts: datasetFacts(manifest),
    tables: [{ rows, digits: 1 }],
    notes: manifest.notes,
  });
}

function classCounts(samples: readonly LoadedSample[], classCount: number): Float64Array {
  const counts = new Float64Array(classCount);
  for (const { target } of samples) {
    for (const label of target.data) if (label >= 0 && label < classCount) counts[label]!++;
  }
  return counts;
}

/** Gives a sample, its image and its target their look, with the names and colours that the manifest knows. */
export function showSample(sample: LoadedSample, manifest: SceneDatasetManifest): void {
  showAs(sample, { bundle: (shown) => sampleBundle(shown, manifest), row: sampleRow });
  showAs(sample.image, {
    bundle: (image) =>
      rasterBundle(image, {
        bandNames: manifest.bands,
        rgb: colorBands(manifest),
        title: `Image of ${sample.id}`,
      }),
  });
  showAs(sample.target, {
    bundle: (target) => labelsBundle(target, { classes: manifest.classes, title: `Target of ${sample.id}` }),
  });
}

/** Longest side of the image and of the target, pixels. */
const SIDE = 256;

/** Image and target side by side, and the colours of the classes. */
function sampleBundle(sample: LoadedSample, manifest: SceneDatasetManifest): MimeBundle {
  const { image, target } = sample;
  const colors = classColors(manifest.classes);
  const shown = colors.map((color, index) => (index === manifest.ignoreIndex ? undefined : color));
  const pixels = sideBySide([
    colorPixels(image, { bands: colorBands(manifest), maximumSide: SIDE }),
    labelPixels(target, shown, SIDE),
  ]);
  const counts = classCounts([sample], manifest.classes.length);
  const share = (index: number): string =>
    `${formatNumber((100 * counts[index]!) / target.data.length, 1)} %`;
  return sheetBundle({
    title: `${sample.id} (${manifest.id})`,
    picture: toPicture(pixels, `image and target of ${sample.id}`),
    legend: manifest.classes.flatMap((name, index) =>
      index === manifest.ignoreIndex ? [] : [{ name: `${name} ${share(index)}`, color: colors[index]! }],
    ),
    facts: [
      ['split', sample.split],
      ['place', sample.place],
      ['image', `${image.height} × ${image.width} px, ${manifest.bands.join(', ')}`],
    ],
  });
}

const sampleRow = ({ id, split, place, image }: LoadedSample): object => ({
  id,
  split,
  place,
  height: image.height,
  width: image.width,
  bands: image.bandCount,
});

/** Centres of red, green and blue, nm. */
const COLORS_NM = [665, 560, 490];
/** A band further away than this is not the colour. */
const REACH_NM = 60;

/** Places of the bands nearest to red, green and blue; the first three, or the first, where there are none. */
export function colorBands({ sensor, bands }: SceneDatasetManifest): readonly number[] {
  const known = readSensorManifest(sensor).bands;
  const wavelengths = bands.map((name) => known.find((band) => band.name === name)?.wavelengthNm);
  const nearest = COLORS_NM.map((color) => {
    const distances = wavelengths.map((wavelength) => Math.abs((wavelength ?? Infinity) - color));
    const least = Math.min(...distances);
    return least <= REACH_NM ? distances.indexOf(least) : undefined;
  });
  const found = nearest.filter((band) => band !== undefined);
  if (new Set(found).size === 3) return found;
  return bands.length >= 3 ? [0, 1, 2] : [0];
}
