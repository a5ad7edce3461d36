import { describe, expect, it } from 'vitest';
import { readSampleAttributes } from '../../../src/datasets/geobench/sample-attributes.js';
import { readTaskSpecifications } from '../../../src/datasets/geobench/task-specifications.js';

/** The printed form of Python's bytes. */
const printed = (pickle: string): string =>
  `b'${[...pickle].map((letter) => `\\x${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('')}'`;

describe('readSampleAttributes', () => {
  it('reads label, order, place and notes of protocol 0, too', () => {
    const text = printed(
      `(dS'label'\nI2\nsS'bands_order'\n(lS'Red'\nasS'Red'\n(dS'date'\nNsS'crs'\nS'EPSG:4326'\nsS'spatial_resolution'\nF0.5\nsS'meta_info'\n(dS'year'\nI2019\nsss.`,
    );
    const attributes = readSampleAttributes(text, 'x.hdf5');
    expect(attributes).toMatchObject({ label: 2, order: ['Red'] });
    expect(attributes.arrays.get('Red')).toMatchObject({
      crs: 'EPSG:4326',
      transform: null,
      gsdM: 0.5,
      meta: { year: 2019 },
    });
  });

  it.each([
    ['among the attributes', "(dS'label'\ncposix\nsystem\n(S'echo run'\ntRs."],
    ['in their place', "cposix\nsystem\n(S'echo run'\ntR."],
  ])('runs nothing and refuses a command %s', (_, pickle) => {
    expect(() => readSampleAttributes(printed(pickle), 'x.hdf5')).toThrow(
      expect.objectContaining({
        code: 'UNSAFE',
        where: 'x.hdf5',
        message: expect.stringContaining('posix.system') as string,
      }) as Error,
    );
  });

  it.each([
    ['no bytes', "{'label': 1}", 'CORRUPT_DATA'],
    ['an expression', "open('x')", 'CORRUPT_DATA'],
    ['a list', printed('(lI1\na.'), 'CORRUPT_DATA'],
    ['bytes that are no pickle', "b'\\x01\\x02'", 'PICKLE_MALFORMED'],
  ])('refuses %s', (_, text, code) => {
    expect(() => readSampleAttributes(text, 'x.hdf5')).toThrow(expect.objectContaining({ code }) as Error);
  });
});

describe('readTaskSpecifications', () => {
  it('refuses a pickle that holds no object', () => {
    expect(() => readTaskSpecifications(Buffer.from('I1\n.'), 'task_specs.pkl')).toThrow(
      expect.objectContaining({ code: 'CORRUPT_DATA' }) as Error,
    );
  });
});
