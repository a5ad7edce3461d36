import { InputError } from '../errors.js';
import type { Polygon } from './rasterize-polygons.js';

/**
 * Polygons of a text `POLYGON ((x y, …), …)` or `MULTIPOLYGON (((x y, …)), …)`; none for `EMPTY`. Further coordinates of a
 * point (height, measure) are left out.
 * @param where file, and feature in it, that errors name
 * @throws InputError WKT_MALFORMED
 */
export function parseWktPolygons(text: string, where: string): Polygon[] {
  const [, kind, rest = ''] = /^\s*(?:SRID=\d+;)?\s*([A-Z]+)\s*(?:ZM|Z|M)?\s*(.*)$/is.exec(text) ?? [];
  const type = kind?.toUpperCase();
  if (type !== 'POLYGON' && type !== 'MULTIPOLYGON') throw malformed(text, 'it is no polygon', where);
  if (/^EMPTY\s*$/i.test(rest)) return [];
  const reader = new ListReader(rest, (reason) => malformed(text, reason, where));
  const readRings = (): Polygon => {
    const [exterior, ...holes] = reader.list(() => reader.points());
    return { exterior: exterior!, holes };
  };
  const polygons = type === 'POLYGON' ? [readRings()] : reader.list(readRings);
  reader.end();
  return polygons;
}

class ListReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly fail: (reason: string) => InputError,
  ) {}

  /** `(item, item, …)` */
  list<T>(item: () => T): T[] {
    this.expect('(');
    const items = [item()];
    while (this.skip(',')) items.push(item());
    this.expect(')');
    return items;
  }

  /** `(x y, x y, …)`, flat */
  points(): number[] {
    return this.list(() => this.point()).flat();
  }

  end(): void {
    if (this.text.slice(this.at).trim() !== '') throw this.fail('something follows its end');
  }

  private point(): [number, number] {
    const point = /\s*([^,()]*)/y;
    point.lastIndex = this.at;
    const [whole, words = ''] = point.exec(this.text)!;
    const numbers = words.trim().split(/\s+/).map(Number);
    if (numbers.length < 2 || numbers.length > 4 || words.trim() === '' || !numbers.every(Number.isFinite))
      throw this.fail(`"${words.trim().slice(0, 40)}" is no point`);
    this.at += whole.length;
    return [numbers[0]!, numbers[1]!];
  }

  private skip(sign: string): boolean {
    while (/\s/.test(this.text.charAt(this.at))) this.at++;
    if (this.text.charAt(this.at) !== sign) return false;
    this.at++;
    return true;
  }

  private expect(sign: string): void {
    if (!this.skip(sign))
      throw this.fail(`"${sign}" is missing after "${this.text.slice(0, this.at).slice(-40)}"`);
  }
}

const malformed = (text: string, reason: string, where: string): InputError =>
  new InputError('WKT_MALFORMED', `The outline "${text.slice(0, 60)}" cannot be read: ${reason}.`, {
    where,
    hint: 'Restore the file from the release.',
  });
