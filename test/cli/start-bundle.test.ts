import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { BUNDLE_PARAMETERS, startBundle } from '../../src/cli/start-bundle.js';
import { InputError } from '../../src/errors.js';
import { tempFolder } from '../support/temp-folder.js';

/** A folder with a bundle whose `main` is this. */
function bundle(main: string) {
  const folder = tempFolder();
  const text = (body: string): string =>
    `(function (${BUNDLE_PARAMETERS.join(', ')}) { module.exports = { main: async (argv) => { ${body} } }; })`;
  const write = (body: string): void => writeFileSync(path.join(folder, 'x.bundle.cjs'), text(body));
  write(main);
  const start = (argv: readonly string[] = []): Promise<number> =>
    startBundle('x', argv, pathToFileURL(path.join(folder, 'main.js')).href);
  const codeFiles = (): string[] => readdirSync(folder).filter((name) => name !== 'x.bundle.cjs');
  return { folder, write, start, codeFiles };
}

describe('a bundle', () => {
  it('is given the arguments, what is built in, and what it shares', async () => {
    const { start } = bundle(`
      const { InputError } = require('../errors.js');
      const { basename } = require('node:path');
      if (argv[0] === 'fail') throw new InputError('SOME_CODE', basename(bundleUrl));
      return (await importModule('node:os')).EOL.length + argv.length;`);
    expect(await start(['a', 'b'])).toBe(3);
    const error: unknown = await start(['fail']).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ message: 'x.bundle.cjs' });
  });

  it('leaves its code beside it once, and is another one when its text is', async () => {
    const { folder, write, start, codeFiles } = bundle('return 1;');
    expect([await start(), await start()]).toEqual([1, 1]);
    const [file, ...others] = codeFiles();
    expect([file, others]).toEqual([expect.stringMatching(/^x\.[0-9a-f]{16}\.\d+\.code$/), []]);
    const before = readFileSync(path.join(folder, file!));
    write('return 2;'); // of the same length, which is all that V8 looks at
    expect([await start(), await start()]).toEqual([2, 2]);
    expect(codeFiles()).toHaveLength(2);
    expect(readFileSync(path.join(folder, file!)).equals(before)).toBe(true);
  });

  it.each([
    ['changed', (code: Buffer) => code.map((byte, at) => (at === code.length - 40 ? byte ^ 1 : byte))],
    ['cut', (code: Buffer) => code.subarray(0, 100)],
    ['empty', () => Buffer.alloc(0)],
    ['whole, of no code of V8', () => Buffer.from(`${DIGEST_OF_NOTHING}`)],
  ])('passes over code that is %s, and replaces it', async (_, damage) => {
    const { folder, start, codeFiles } = bundle('return 1;');
    await start();
    const file = path.join(folder, codeFiles()[0]!);
    const good = readFileSync(file);
    writeFileSync(file, damage(good));
    expect(await start()).toBe(1);
    expect(readFileSync(file).length).toBeGreaterThan(100);
    expect(codeFiles()).toHaveLength(1);
  });

  it('does its work where nothing can be written', async () => {
    const { folder, start, codeFiles } = bundle('return 1;');
    const name = path.join(folder, 'x.bundle.cjs');
    chmodSync(name, 0o444);
    chmodSync(folder, 0o555);
    expect(await start()).toBe(1);
    chmodSync(folder, 0o755);
    // root writes everywhere
    expect(codeFiles()).toHaveLength(process.getuid?.() === 0 ? 1 : 0);
  });
});

const DIGEST_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
