import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { newCodeCell, type Notebook } from '../../../src/cli/notebook/format.js';
import { chooseTarget, writeTarget } from '../../../src/cli/notebook/target.js';
import { tempFolder } from '../../support/temp-folder.js';

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const withPictures = (count: number): Notebook => ({
  cells: [
    {
      ...newCodeCell('draw()', 'draw'),
      outputs: Array.from({ length: count }, () => ({
        output_type: 'display_data' as const,
        data: { 'image/png': PNG },
        metadata: {},
      })),
    },
  ],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

describe('what an executed notebook is written to', () => {
  it.each([
    [undefined, undefined, 'ipynb', 'crowns.run.ipynb'],
    ['html', undefined, 'html', 'crowns.html'],
    ['md', undefined, 'md', 'crowns.md'],
    [undefined, 'out/page.html', 'html', 'out/page.html'],
    [undefined, 'README.MD', 'md', 'README.MD'],
    [undefined, 'plain', 'ipynb', 'plain'],
    ['html', 'odd.txt', 'html', 'odd.txt'],
  ])('--to %s --out %s is %s in %s', (to, out, format, file) => {
    expect(chooseTarget('/notebooks/crowns.ipynb', to, out)).toEqual({ format, file: path.resolve(file) });
  });

  it('may be the notebook itself, where it stays a notebook', () => {
    const source = path.join(tempFolder(), 'a.ipynb');
    expect(chooseTarget(source, undefined, source).file).toBe(source);
    expect(() => chooseTarget(source, 'html', source)).toThrow(
      expect.objectContaining({ code: 'OPTION_VALUE' }),
    );
  });

  it('is looked at before anything runs', () => {
    const folder = tempFolder();
    writeFileSync(path.join(folder, 'file'), '');
    expect(() => chooseTarget('a.ipynb', 'htm', undefined)).toThrow(
      expect.objectContaining({ code: 'OPTION_VALUE' }),
    );
    for (const out of [folder, `${folder}/new/`]) {
      expect(() => chooseTarget('a.ipynb', undefined, out)).toThrow(
        expect.objectContaining({ code: 'NOT_A_FILE' }),
      );
    }
    expect(() => chooseTarget('a.ipynb', undefined, path.join(folder, 'file', 'a.html'))).toThrow(
      expect.objectContaining({ code: 'NOT_A_FOLDER' }),
    );
  });

  it.skipIf(process.getuid?.() === 0)('must lie where this user may write', () => {
    const folder = tempFolder();
    chmodSync(folder, 0o500);
    expect(() => chooseTarget('a.ipynb', undefined, path.join(folder, 'a.html'))).toThrow(
      expect.objectContaining({ code: 'NO_PERMISSION' }),
    );
  });

  it('is no device and no pipe, which it would replace', async () => {
    const pipe = path.join(tempFolder(), 'pipe.ipynb');
    execFileSync('mkfifo', [pipe]);
    for (const file of [pipe, '/dev/null']) {
      expect(() => chooseTarget('a.ipynb', undefined, file)).toThrow(
        expect.objectContaining({ code: 'NOT_A_FILE', where: file }),
      );
      await expect(writeTarget({ format: 'ipynb', file }, withPictures(1), 'a.ipynb')).rejects.toMatchObject({
        code: 'NOT_A_FILE',
      });
      expect(statSync(file).isFile()).toBe(false);
    }
  });

  it('in Markdown keeps pictures beside it, none of an earlier run, and what is not its own', async () => {
    const folder = tempFolder();
    const target = { format: 'md' as const, file: path.join(folder, 'my crowns.md') };
    const source = path.join(folder, 'a.ipynb');
    await writeTarget(target, withPictures(3), source);
    const images = path.join(folder, 'my crowns_files');
    expect(readdirSync(images)).toEqual(['cell-01-1.png', 'cell-01-2.png', 'cell-01-3.png']);
    expect(readFileSync(path.join(images, 'cell-01-1.png')).toString('base64')).toBe(PNG);
    writeFileSync(path.join(images, 'mine.png'), '');
    await writeTarget(target, withPictures(1), source);
    expect(readdirSync(images)).toEqual(['cell-01-1.png', 'mine.png']);
    expect(readFileSync(target.file, 'utf8')).toContain('](my%20crowns_files/cell-01-1.png)');
  });

  it('in Markdown leaves no pictures of a file that could not be written', async () => {
    const folder = tempFolder();
    mkdirSync(path.join(folder, 'a.md'));
    const target = { format: 'md' as const, file: path.join(folder, 'a.md') };
    await expect(writeTarget(target, withPictures(1), 'a.ipynb')).rejects.toThrow();
    expect(existsSync(path.join(folder, 'a_files'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['a.md']);
  });
});
