import { readFile, stat } from 'node:fs/promises';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { InputError } from '../errors.js';
import { messageOf, readError } from './file-errors.js';
import { requireFile } from './regular-file.js';

/** One object on an image; pixels from the upper left corner, as the file has them. */
export interface PascalVocBox {
  readonly name: string;
  readonly xmin: number;
  readonly ymin: number;
  readonly xmax: number;
  readonly ymax: number;
}

export interface PascalVocAnnotation {
  /** File name of the image; empty where the file does not say. */
  readonly image: string;
  /** Pixels. */
  readonly height: number;
  readonly width: number;
  readonly bandCount: number;
  /** In the order of the file. */
  readonly boxes: readonly PascalVocBox[];
}

const MAX_BYTES = 64 * 2 ** 20;

/**
 * Reads the boxes of a Pascal VOC annotation. Documents that declare entities or types are refused unread.
 * @throws InputError FILE_MISSING, NO_PERMISSION, ANNOTATION_MALFORMED, ANNOTATION_UNSAFE
 */
export async function readPascalVoc(file: string): Promise<PascalVocAnnotation> {
  try {
    await requireFile(file);
    const { size } = await stat(file);
    if (size > MAX_BYTES)
      throw malformed(file, `it has ${size} bytes; annotations have fewer than ${MAX_BYTES}.`);
    return parsePascalVoc(await readFile(file, 'utf8'), file);
  } catch (cause) {
    throw readError(cause, file);
  }
}

/** As `readPascalVoc`, of a text; `where` names it in errors. */
export function parsePascalVoc(xml: string, where: string): PascalVocAnnotation {
  if (xml.trim() === '') throw malformed(where, 'it is empty.');
  if (/<!\s*(DOCTYPE|ENTITY)/i.test(xml)) {
    throw new InputError(
      'ANNOTATION_UNSAFE',
      'The annotation declares a document type or entities, which are not read.',
      {
        where,
        hint: 'Take the declaration out; Pascal VOC annotations need none.',
      },
    );
  }
  const annotation = member(parseXml(xml, where), 'annotation');
  if (annotation === undefined) throw malformed(where, 'its outermost element is not <annotation>.');
  const size = member(annotation, 'size');
  const objects = member(annotation, 'object');
  const boxes = (Array.isArray(objects) ? objects : []).map((object, i) => parseBox(object, i, where));
  return {
    image: text(member(annotation, 'filename')),
    width: count(member(size, 'width'), 'size/width', where),
    height: count(member(size, 'height'), 'size/height', where),
    bandCount: member(size, 'depth') === undefined ? 1 : count(member(size, 'depth'), 'size/depth', where),
    boxes,
  };
}

function parseXml(xml: string, where: string): unknown {
  const verdict = XMLValidator.validate(xml);
  if (verdict !== true) throw malformed(where, `line ${verdict.err.line}: ${verdict.err.msg}`);
  try {
    const parser = new XMLParser({
      ignoreAttributes: true,
      parseTagValue: false, // texts stay texts: a class may be called 007
      isArray: (_, path) => path === 'annotation.object',
    });
    return parser.parse(xml);
  } catch (cause) {
    throw malformed(where, messageOf(cause), cause);
  }
}

function parseBox(object: unknown, index: number, where: string): PascalVocBox {
  const place = `object[${index}]`;
  const box = member(object, 'bndbox');
  const side = (name: string): number => number(member(box, name), `${place}/bndbox/${name}`, where);
  const [xmin, ymin, xmax, ymax] = [side('xmin'), side('ymin'), side('xmax'), side('ymax')];
  if (xmax < xmin || ymax < ymin) {
    throw malformed(where, `${place} ends before it starts (${xmin}, ${ymin}, ${xmax}, ${ymax}).`);
  }
  const name = text(member(object, 'name'));
  if (name === '') throw malformed(where, `${place} has no name.`);
  return { name, xmin, ymin, xmax, ymax };
}

/** Own members only: an element may be called as what every object inherits. */
const member = (value: unknown, key: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    ? (value as Record<string, unknown>)[key]
    : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

function number(value: unknown, place: string, where: string): number {
  const parsed = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text(value)) ? Number(text(value)) : NaN;
  if (Number.isFinite(parsed)) return parsed;
  throw malformed(where, `${place} is not a number${value === undefined ? '; it is missing' : ''}.`);
}

function count(value: unknown, place: string, where: string): number {
  const parsed = number(value, place, where);
  if (Number.isInteger(parsed) && parsed > 0) return parsed;
  throw malformed(where, `${place} is ${parsed}, not a number of pixels.`);
}

const malformed = (where: string, message: string, cause?: unknown): InputError =>
  new InputError('ANNOTATION_MALFORMED', `The annotation cannot be read: ${message}`, {
    where,
    hint: 'Expected is a Pascal VOC annotation: <annotation> with <size> and one <object> with <bndbox> a box.',
    cause,
  });
