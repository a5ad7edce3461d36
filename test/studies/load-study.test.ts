import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importGuarded } from '../../src/studies/import-guarded.js';
import { loadStudy, shippedStudies } from '../../src/studies/load-study.js';
import { tempFolder } from '../support/temp-folder.js';

const source = `import { defineStudy } from 'gondwana';
import { seeds } from './parts/seeds.ts';
interface Unused { readonly a: number }
export default defineStudy({ name: 'mine', title: 'Mine?', protocol: 'neon-crowns', datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'], decoders: ['unet'], seeds: seeds satisfies number[] });`;

function write(files: Record<string, string>): string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), content);
  }
  return folder;
}

describe('loading a study', () => {
  it.each(shippedStudies())('works for every shipped one: %s', async (id) => {
    expect((await loadStudy(id)).name).toBe(id);
  });

  it('translates TypeScript with its own modules, anywhere on the disk', async () => {
    const folder = write({
      'my study.ts': source,
      'parts/seeds.ts': 'export const seeds: number[] = [4, 5];',
    });
    const study = await loadStudy(path.join(folder, 'my study.ts'));
    expect(study).toMatchObject({ name: 'mine', seeds: [4, 5] });
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith(`gondwana-study-${process.pid}-`))).toEqual(
      [],
    );
  });

  it('takes a plain module', async () => {
    const folder = write({
      's.mjs': `export default { name: 'plain', title: 'Plain?', protocol: 'p', datasets: ['a'], encoders: ['b'], decoders: ['c'], seeds: [0] };`,
    });
    expect((await loadStudy(path.join(folder, 's.mjs'))).name).toBe('plain');
  });

  it.each([
    ['no default export', 'export const a = 1;', 'STUDY_FILE'],
    ['a default export that is no study', 'export default { name: "x" };', 'STUDY_INVALID'],
    ['a syntax error', 'export default {', 'STUDY_FILE'],
    ['a package that is not there', `import 'no-such-package'; export default {};`, 'STUDY_FILE'],
    ['an error when it runs', 'throw new Error("broken"); export default {};', 'STUDY_FILE'],
  ])('names a file with %s', async (_, content, code) => {
    const file = path.join(write({ 's.ts': content }), 's.ts');
    await expect(loadStudy(file)).rejects.toMatchObject({ code });
  });

  it.each(['throw', 'export default'])('tells a wrong definition with its file: %s', async (way) => {
    const content =
      way === 'throw'
        ? `import { defineStudy } from 'gondwana'; export default defineStudy({ name: 'x', sedes: [0] });`
        : `export default { name: 'x', sedes: [0] };`;
    const file = path.join(write({ 's.ts': content }), 's.ts');
    await expect(loadStudy(file)).rejects.toMatchObject({
      code: 'STUDY_INVALID',
      message: expect.stringMatching(/title is missing.*seeds is missing.*sedes is no member/),
      where: `${file}, study "x"`,
      hint: expect.stringContaining('encoders'),
    });
  });

  it('gives every file that does not load a hint', async () => {
    const file = path.join(write({ 's.ts': 'export default {' }), 's.ts');
    await expect(loadStudy(file)).rejects.toMatchObject({ hint: expect.stringContaining('--dry-run') });
  });

  it.each(['process.exit(0);', 'process.exit(7);'])(
    'does not let a file end the process: %s',
    async (call) => {
      const { exit } = process;
      const file = path.join(write({ 's.ts': `${call}\nexport default {};` }), 's.ts');
      await expect(loadStudy(file)).rejects.toMatchObject({
        code: 'STUDY_FILE',
        message: expect.stringContaining('process.exit'),
        where: file,
      });
      expect(process.exit).toBe(exit);
    },
  );

  it('does not wait for ever for a file, and gives stdout back', async () => {
    const { write: writeOut } = process.stdout;
    await expect(
      importGuarded(
        () => new Promise(() => undefined),
        { path: 's.ts', code: 'STUDY_FILE', what: 'study' },
        20,
      ),
    ).rejects.toMatchObject({
      code: 'STUDY_FILE',
      message: expect.stringContaining('0.02 s'),
    });
    expect(process.stdout.write).toBe(writeOut);
  });

  it('suggests the shipped study that was meant, and names a missing file', async () => {
    await expect(loadStudy('quickstrat')).rejects.toMatchObject({
      code: 'STUDY_UNKNOWN',
      hint: expect.stringContaining('"quickstart"'),
    });
    await expect(loadStudy('nowhere.ts')).rejects.toMatchObject({
      code: 'STUDY_FILE',
      where: path.resolve('nowhere.ts'),
      hint: expect.stringMatching(/looked for from the folder .*quickstart/),
    });
  });
});
