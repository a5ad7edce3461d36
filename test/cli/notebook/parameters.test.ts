import { describe, expect, it } from 'vitest';
import { joinParameters } from '../../../src/cli/join-parameters.js';
import { newCodeCell, type Notebook } from '../../../src/cli/notebook/format.js';
import { injectParameters, parseParameter, readDeclarations } from '../../../src/cli/notebook/parameters.js';

const notebook = (parameters?: string): Notebook => ({
  cells: [
    { cell_type: 'markdown', id: 'title', source: '# Title', metadata: {} },
    ...(parameters === undefined ? [] : [newCodeCell(parameters, 'parameters', ['parameters'])]),
    newCodeCell('quick', 'body'),
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

const inject = async (content: Notebook, ...pairs: string[]): Promise<Notebook> => {
  await injectParameters(content, pairs.map(parseParameter), 'typescript', 'a.ipynb');
  return content;
};

const injected = ({ cells }: Notebook): string | undefined =>
  cells.find((cell) => (cell.metadata.tags as string[] | undefined)?.includes('injected-parameters'))?.source;

describe('the option -p', () => {
  it('takes a name and a value, negative ones too, wherever it stands', () => {
    expect(joinParameters(['notebook', 'run', '-p', 'rate', '-0.1', 'a.ipynb', '-p', 'b', 'x y'])).toEqual([
      'notebook',
      'run',
      '-p',
      'rate=-0.1',
      'a.ipynb',
      '-p',
      'b=x y',
    ]);
  });

  it('takes both as one word too', () => {
    expect(joinParameters(['-p', 'a=1', 'file'])).toEqual(['-p', 'a=1', 'file']);
  });

  it.each([
    ['quick=true', true],
    ['rate=-0.1', -0.1],
    ['names=["a","b"]', ['a', 'b']],
    ['path=../results', '../results'],
    ['text="5"', '5'],
    ['empty=', ''],
    ['sum=a=b', 'a=b'],
    ['huge=1e999', '1e999'], // no number: JSON has none of that size
    ['list=[1e999]', '[1e999]'],
  ])('reads %s', (pair, value) => {
    expect(parseParameter(pair).value).toEqual(value);
  });

  it.each(['alone', '=1', '1a=2', 'a b=1', 'a;b=1'])('refuses %j', (pair) => {
    expect(() => parseParameter(pair)).toThrow(
      expect.objectContaining({ code: 'PARAMETER_FORM', exitCode: 2 }),
    );
  });
});

describe('injected parameters', () => {
  it('stand in a cell of their own after the one with the parameters', async () => {
    const { cells } = await inject(
      notebook('let quick = false;\nlet results = "a";'),
      'quick=true',
      'results=b c',
    );
    expect(cells.map(({ id }) => id).slice(0, 2)).toEqual(['title', 'parameters']);
    expect(cells[2]).toMatchObject({
      cell_type: 'code',
      source: 'let quick = true;\nlet results = "b c";',
      metadata: { tags: ['injected-parameters'] },
    });
    expect(cells[3]!.id).toBe('body');
  });

  it('stand at the start where no cell is tagged', async () => {
    const { cells } = await inject(notebook(), 'anything=1');
    expect(cells[0]!.source).toBe('let anything = 1;');
  });

  it('take the place of those of an earlier run', async () => {
    const content = await inject(notebook('let quick = false;'), 'quick=true');
    await inject(content, 'quick=false');
    expect(content.cells).toHaveLength(4);
    expect(injected(content)).toBe('let quick = false;');
  });

  it('keep the type that the name is declared with', async () => {
    const source = [
      'let names: string[] = ["a"];',
      'const pick: (a: { b: number }) => string = f;',
      'let ids: Record<string, { a: 1 }> | null = null;',
    ].join('\n');
    const content = await inject(notebook(source), 'names=[]', 'ids={"x":{"a":1}}', 'pick=null');
    expect(injected(content)).toBe(
      [
        'let names: string[] = [];',
        'let ids: Record<string, { a: 1 }> | null = {"x":{"a":1}};',
        'let pick: (a: { b: number }) => string = null;',
      ].join('\n'),
    );
  });

  it('are written once where a name is given twice: the last one counts', async () => {
    expect(injected(await inject(notebook('let a = 1;'), 'a=2', 'a=3'))).toBe('let a = 3;');
  });

  it('escape line separators, which end a text in older readers', async () => {
    expect(injected(await inject(notebook('let a = "";'), 'a=x\u2028y'))).toBe('let a = "x\\u2028y";');
  });

  it('are text where the name is declared as text', async () => {
    const source = 'let year = "2023";\nlet site: string = f();';
    expect(injected(await inject(notebook(source), 'year=2024', 'site=true'))).toBe(
      'let year = "2024";\nlet site: string = "true";',
    );
  });

  it('must be declared; the nearest name is said', async () => {
    await expect(inject(notebook('let quick = false;\nlet results = 1;'), 'quik=true')).rejects.toMatchObject(
      {
        code: 'PARAMETER_UNKNOWN',
        hint: 'Did you mean "quick"? Known: quick, results.',
        where: 'a.ipynb, cell "parameters"',
      },
    );
  });

  it.each([
    ['let quick = false;', 'quick=yes'],
    ['let epochs = 3;', 'epochs=many'],
    ['let names = ["a"];', 'names=a'],
  ])('must be of the kind of value that %s starts with: %s is not', async (source, pair) => {
    await expect(inject(notebook(source), pair)).rejects.toMatchObject({ code: 'PARAMETER_TYPE' });
  });

  it('are not written into a cell that is no TypeScript, nor in another language', async () => {
    await expect(inject(notebook('let quick = ;'), 'quick=true')).rejects.toMatchObject({
      code: 'PARAMETERS_CELL',
    });
    await expect(
      injectParameters(notebook('quick = False'), [parseParameter('quick=true')], 'python', 'a.ipynb'),
    ).rejects.toMatchObject({ code: 'PARAMETERS_LANGUAGE' });
  });

  it('are refused with the reason why the cell cannot be read', async () => {
    await expect(inject(notebook('let quick = ;'), 'quick=true')).rejects.toMatchObject({
      code: 'PARAMETERS_CELL',
      message: 'The cell with the parameters cannot be read: Unexpected ";"',
    });
  });

  it('leave a notebook alone that none are given for', async () => {
    expect((await inject(notebook('let quick = ;'))).cells).toHaveLength(3);
  });
});

describe('the names of a parameters cell', () => {
  it('are those of its variables, with comments, imports and types around them', async () => {
    const source = `
      import { a } from 'b'; // let not = 1;
      type T = 'x' | 'y';
      let quick = false, epochs = -3; /* let neither = 2 */
      const mode = 'x' as const;
      let computed = Math.max(1, 2);
      { let inner = 1; }`;
    const found = await readDeclarations(source, '');
    expect(found.map(({ name, kind }) => [name, kind])).toEqual([
      ['quick', 'boolean'],
      ['epochs', 'number'],
      ['mode', 'string'],
      ['computed', undefined],
    ]);
  });
});
