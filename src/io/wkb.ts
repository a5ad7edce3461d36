import { badHeader, truncated } from './format-error.js';
import type { Geometry, Position } from './geometry.js';

const MAX_NESTING = 16;

/**
 * A geometry in well-known binary form, as GeoParquet and PostGIS write it: either byte order, two to four numbers a point.
 * @param where file and row that errors name
 * @throws InputError TRUNCATED (before anything is allocated by a claim), BAD_HEADER
 */
export function parseWkb(bytes: Uint8Array, where: string): Geometry {
  const reader = new WkbReader(bytes, where);
  const geometry = reader.geometry(0);
  reader.end();
  return geometry;
}

class WkbReader {
  private readonly view: DataView;
  private at = 0;
  private isLittle = true;
  private axes = 2;

  constructor(
    bytes: Uint8Array,
    private readonly where: string,
  ) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  geometry(nesting: number): Geometry {
    if (nesting > MAX_NESTING) throw badHeader(this.where, 'Geometries are nested too deep.');
    const kind = this.head();
    switch (kind) {
      case 1:
        return { type: 'Point', coordinates: this.position() };
      case 2:
        return { type: 'LineString', coordinates: this.line() };
      case 3:
        return { type: 'Polygon', coordinates: this.rings() };
      case 4:
        return { type: 'MultiPoint', coordinates: this.many(() => this.part(1, () => this.position())) };
      case 5:
        return { type: 'MultiLineString', coordinates: this.many(() => this.part(2, () => this.line())) };
      case 6:
        return { type: 'MultiPolygon', coordinates: this.many(() => this.part(3, () => this.rings())) };
      case 7:
        return { type: 'GeometryCollection', geometries: this.many(() => this.geometry(nesting + 1)) };
      default:
        throw badHeader(this.where, `The geometry is of kind ${kind}, which is none.`);
    }
  }

  end(): void {
    if (this.at !== this.view.byteLength)
      throw badHeader(this.where, `${this.view.byteLength - this.at} bytes follow the geometry.`);
  }

  /** Byte order and kind; how many numbers a point has stands in the kind, in one of two ways. */
  private head(): number {
    this.need(5);
    const order = this.view.getUint8(this.at);
    if (order > 1) throw badHeader(this.where, `The byte order is ${order}.`);
    this.isLittle = order === 1;
    const code = this.view.getUint32(this.at + 1, this.isLittle);
    this.at += 5;
    if (code & 0x2000_0000) this.uint32(); // number of the CRS
    const plain = code & 0x0fff_ffff;
    const thousands = Math.floor(plain / 1000);
    const isoAxes = thousands === 3 ? 2 : thousands > 0 ? 1 : 0;
    const flagAxes = Number((code & 0x8000_0000) !== 0) + Number((code & 0x4000_0000) !== 0);
    this.axes = 2 + Math.max(isoAxes, flagAxes);
    return plain % 1000;
  }

  private part<T>(kind: number, read: () => T): T {
    const found = this.head();
    if (found !== kind) throw badHeader(this.where, `A part of kind ${found} stands where ${kind} is due.`);
    return read();
  }

  private rings(): Position[][] {
    return this.many(() => this.line());
  }

  private line(): Position[] {
    const count = this.uint32();
    this.need(count * this.axes * 8);
    return Array.from({ length: count }, () => this.position());
  }

  private position(): Position {
    this.need(this.axes * 8);
    const numbers: number[] = [];
    for (let axis = 0; axis < this.axes; axis++, this.at += 8)
      numbers.push(this.view.getFloat64(this.at, this.isLittle));
    return numbers;
  }

  /** Each part has four bytes at least. */
  private many<T>(read: () => T): T[] {
    const count = this.uint32();
    this.need(count * 4);
    return Array.from({ length: count }, read);
  }

  private uint32(): number {
    this.need(4);
    this.at += 4;
    return this.view.getUint32(this.at - 4, this.isLittle);
  }

  private need(count: number): void {
    const left = this.view.byteLength - this.at;
    if (count > left) throw truncated(this.where, `The geometry needs ${count} bytes more, and has ${left}.`);
  }
}
