import { defineGeoBench } from './define.js';
import { placeByName, withoutPlace } from './places.js';

// What each holds, its bands, classes, statistics and known faults: data-manifests/datasets/<id>.json

/** BigEarthNet, 43 classes of land cover, several an image; 12 Sentinel-2 bands. */
export const mBigearthnet = defineGeoBench('m-bigearthnet');

/** So2Sat, 17 local climate zones; 8 radar and 10 optical channels, whose keys a sort would mix. */
export const mSo2sat = defineGeoBench('m-so2sat');

/** Brick kilns in Bangladesh; 13 channels of which only the first five and the eighth are what they are called. */
export const mBrickKiln = defineGeoBench('m-brick-kiln');

/** ForestNet, 12 causes of forest loss; Landsat 8. */
export const mForestnet = defineGeoBench('m-forestnet');

/** EuroSAT, 10 classes; 13 Sentinel-2 bands whose last five names are shifted. */
export const mEurosat = defineGeoBench('m-eurosat');

/** Solar panels in Germany, present or not; aerial photographs. */
export const mPv4ger = defineGeoBench('m-pv4ger');

/** Solar panels in Germany, pixel by pixel. */
export const mPv4gerSeg = defineGeoBench('m-pv4ger-seg');

/** Chesapeake land cover, 7 classes, no data among them; aerial photographs with near infrared. */
export const mChesapeakeLandcover = defineGeoBench('m-chesapeake-landcover', { folder: 'm-chesapeake' });

/** Cashew plantations in Benin, 7 classes; one scene at 25 dates, cut into chips that overlap. */
export const mCashewPlantation = defineGeoBench('m-cashew-plantation', {
  folder: 'm-cashew-plant',
  place: withoutPlace('scene-transform'),
});

/** Crop types in South Africa, 10 classes. */
export const mSaCropType = defineGeoBench('m-sa-crop-type', {
  folder: 'm-SA-crop-type',
  place: withoutPlace('constant-place'),
});

/** Cattle in New Zealand: discs drawn around points. */
export const mNzCattle = defineGeoBench('m-nz-cattle', { place: placeByName('transform-units', 0.1) });

/** A tile cut up has the row and column of the slice at the end of its name; a plot ends in number and year. */
function isSlice(sample: string): boolean {
  return /_\d{1,2}_\d{1,2}$/.test(sample);
}

/** Tree crowns at NEON sites: colour, height and 369 narrow bands, at two resolutions. */
export const mNeontree = defineGeoBench('m-neontree', {
  folder: 'm-NeonTree',
  place: withoutPlace('whole-tile-place', isSlice),
});
