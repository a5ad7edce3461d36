import { FileSource } from './byte-source.js';
import { badHeader, notTheFormat, tooLarge } from './format-error.js';
import { checkGeometry, type Geometry } from './geometry.js';
import { SNIFF_BYTES } from './sniff.js';

export interface GeoJsonFeature {
  readonly id: string | number | null;
  /** null: the feature has no place. */
  readonly geometry: Geometry | null;
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface GeoJsonFile {
  readonly features: readonly GeoJsonFeature[];
  /** Name of the CRS that older files state; null: longitude and latitude of WGS 84. */
  readonly crs: string | null;
}

const MAX_BYTES = 256 * 2 ** 20;

/**
 * Reads a GeoJSON file: a collection of features, one feature, or one geometry.
 * @throws InputError EMPTY_FILE, NOT_JSON, BAD_HEADER (JSON of another form, or a faulty geometry, named by its place), TOO_LARGE,
 *   FILE_MISSING, NO_PERMISSION
 */
export function readGeoJson(file: string): GeoJsonFile {
  const source = FileSource.open(file);
  try {
    if (source.size > MAX_BYTES)
      throw tooLarge(file, `The file has ${source.size} bytes; the limit here is ${MAX_BYTES}.`);
    return parseGeoJson(source.read(0, source.size), file);
  } finally {
    source.close();
  }
}

/** As `readGeoJson`, of bytes. @param where file that errors name */
export function parseGeoJson(bytes: Uint8Array, where: string): GeoJsonFile {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw notTheFormat('NOT_JSON', 'JSON file', bytes.subarray(0, SNIFF_BYTES), bytes.length, where);
  }
  if (!isObject(value)) throw badHeader(where, 'The JSON is no object of GeoJSON.');
  if (value['type'] === 'FeatureCollection') {
    const { features } = value;
    if (!Array.isArray(features)) throw badHeader(where, 'The collection has no list of features.');
    return {
      features: features.map((feature, index) => featureOf(feature, index, where)),
      crs: crsOf(value),
    };
  }
  const feature = value['type'] === 'Feature' ? value : { type: 'Feature', geometry: value };
  return { features: [featureOf(feature, 0, where)], crs: crsOf(value) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function featureOf(value: unknown, index: number, where: string): GeoJsonFeature {
  const place = `${where} » features[${index}]`;
  if (!isObject(value) || value['type'] !== 'Feature') throw badHeader(place, 'This is no feature.');
  const { id, geometry, properties } = value;
  return {
    id: typeof id === 'string' || typeof id === 'number' ? id : null,
    geometry: geometry === null || geometry === undefined ? null : checkGeometry(geometry, place),
    properties: isObject(properties) ? properties : {},
  };
}

function crsOf(value: Readonly<Record<string, unknown>>): string | null {
  const crs = value['crs'];
  const properties = isObject(crs) ? crs['properties'] : undefined;
  const name = isObject(properties) ? properties['name'] : undefined;
  return typeof name === 'string' ? name : null;
}
