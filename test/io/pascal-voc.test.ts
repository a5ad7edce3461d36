import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parsePascalVoc, readPascalVoc } from '../../src/io/pascal-voc.js';
import { tempFolder } from '../support/temp-folder.js';

const box = (name: string, sides: readonly (number | string)[]): string =>
  `<object><name>${name}</name><bndbox><xmin>${sides[0]}</xmin><ymin>${sides[1]}</ymin><xmax>${sides[2]}</xmax><ymax>${sides[3]}</ymax></bndbox></object>`;
const document = (
  objects: string,
  size = '<size><width>40</width><height>30</height><depth>3</depth></size>',
): string => `<?xml version="1.0"?><annotation><filename>a.tif</filename>${size}${objects}</annotation>`;

test('size and boxes are read in the order of the file, names as they are spelt', async () => {
  const file = path.join(tempFolder(), 'a.xml');
  writeFileSync(file, document(box('Tree', [1, 2, 3, 4]) + box('007 &amp; more', [5.5, 6, 7, 8])));
  expect(await readPascalVoc(file)).toEqual({
    image: 'a.tif',
    width: 40,
    height: 30,
    bandCount: 3,
    boxes: [
      { name: 'Tree', xmin: 1, ymin: 2, xmax: 3, ymax: 4 },
      { name: '007 & more', xmin: 5.5, ymin: 6, xmax: 7, ymax: 8 },
    ],
  });
});

test('one box and no box are lists too', () => {
  expect(parsePascalVoc(document(box('Tree', [1, 2, 3, 4])), 'a').boxes).toHaveLength(1);
  expect(parsePascalVoc(document(''), 'a').boxes).toEqual([]);
});

test.each([
  ['an empty document', '', /empty/],
  ['an element that is not closed', '<annotation><size></annotation>', /line 1/],
  ['another root', '<html></html>', /outermost/],
  ['no size', document('', ''), /size\/width is not a number; it is missing/],
  ['a size of zero', document('', '<size><width>0</width><height>3</height></size>'), /size\/width is 0/],
  ['a side that is no number', document(box('Tree', [1, 2, 'x', 4])), /object\[0\]\/bndbox\/xmax/],
  ['a box that ends before it starts', document(box('Tree', [9, 2, 3, 4])), /ends before it starts/],
  ['a box without a name', document(box('', [1, 2, 3, 4])), /no name/],
  [
    'an element called __proto__',
    document('<object><__proto__><bndbox>1</bndbox></__proto__></object>'),
    /./,
  ],
])('%s is ANNOTATION_MALFORMED and named', (_, xml, reason) => {
  expect(() => parsePascalVoc(xml, 'a.xml')).toThrowError(
    expect.objectContaining({
      code: 'ANNOTATION_MALFORMED',
      where: 'a.xml',
      message: expect.stringMatching(reason) as string,
    }) as Error,
  );
  expect(({} as Record<string, unknown>).bndbox).toBeUndefined();
});

test('entity bombs and outside entities are refused unread', () => {
  const bomb = `<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb"><!ENTITY c "&b;&b;&b;&b;">]>${document(box('&c;', [1, 2, 3, 4]))}`;
  const outside = `<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${document('')}`;
  for (const xml of [bomb, outside]) {
    expect(() => parsePascalVoc(xml, 'a.xml')).toThrowError(
      expect.objectContaining({ code: 'ANNOTATION_UNSAFE' }) as Error,
    );
  }
});

test('ten thousand levels of elements end in an error, not in a crash', () => {
  const deep = `<annotation>${'<a>'.repeat(10_000)}${'</a>'.repeat(10_000)}</annotation>`;
  expect(() => parsePascalVoc(deep, 'a.xml')).toThrowError(
    expect.objectContaining({ code: 'ANNOTATION_MALFORMED' }) as Error,
  );
});
