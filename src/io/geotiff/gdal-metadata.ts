/** What GDAL writes about an image into the tag GDAL_METADATA. */
export interface GdalMetadata {
  /** Items of the whole image, by name. */
  readonly items: ReadonlyMap<string, string>;
  /** What is said about single bands, by their place from 0. */
  readonly bands: ReadonlyMap<number, BandMetadata>;
}

export interface BandMetadata {
  name?: string;
  unit?: string;
  scale?: number;
  offset?: number;
  /** Such as `Alpha`. */
  colour?: string;
  readonly items: Map<string, string>;
}

/** Reads the XML by its items alone; what is none is passed over. Time grows with the length of the text. */
export function parseGdalMetadata(xml: string): GdalMetadata {
  const items = new Map<string, string>();
  const bands = new Map<number, BandMetadata>();
  for (let at = xml.indexOf('<Item'); at >= 0; at = xml.indexOf('<Item', at)) {
    const open = xml.indexOf('>', at);
    if (open < 0) break;
    const attributes = readAttributes(xml.slice(at + 5, open));
    const isEmpty = xml[open - 1] === '/';
    const close = isEmpty ? open : xml.indexOf('</Item>', open);
    if (close < 0) break;
    const value = isEmpty ? '' : unescapeXml(xml.slice(open + 1, close));
    at = close + 1;
    const name = attributes.get('name') ?? '';
    const band = attributes.get('sample');
    if (band === undefined) items.set(name, value);
    else if (/^\d{1,5}$/.test(band))
      setOfBand(bands, Number(band), attributes.get('role') ?? '', name, value);
  }
  return { items, bands };
}

function setOfBand(
  bands: Map<number, BandMetadata>,
  place: number,
  role: string,
  name: string,
  value: string,
): void {
  const band = bands.get(place) ?? { items: new Map<string, string>() };
  bands.set(place, band);
  if (role === 'description') band.name = value;
  else if (role === 'unittype') band.unit = value;
  else if (role === 'scale') band.scale = Number(value);
  else if (role === 'offset') band.offset = Number(value);
  else if (role === 'colorinterp') band.colour = value;
  else band.items.set(name, value);
}

const readAttributes = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/([\w:-]{1,64})="([^"]*)"/g)].map(([, name, value]) => [name!, unescapeXml(value!)]),
  );

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const unescapeXml = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{2,4}));/gi,
    (whole, hex: string, decimal: string, name: string) => {
      if (name) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = hex ? parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    },
  );
