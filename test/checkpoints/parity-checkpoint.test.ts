import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openCheckpoint } from '../../src/checkpoints/checkpoint.js';
import { runCheckpointParity } from '../../src/parity/checkpoint.js';
import { tempFolder } from '../support/temp-folder.js';

/**
 * Fixtures of the reference library, all loaded by it, and files written to harm or to break readers. A part of
 * them lies in the repository; the whole set is used too where it lies beside it.
 */
const own = path.resolve(import.meta.dirname, '../fixtures/checkpoint');
const roots = [own, path.resolve(import.meta.dirname, '../../../shared/parity/checkpoint')].filter((folder) =>
  existsSync(folder),
);

describe.each(roots)('%s', (root) => {
  it.each(readdirSync(root))(
    '%s: what is legal is read, what is not is refused and does nothing',
    async (id) => {
      expect(await runCheckpointParity(path.join(root, id))).toBeUndefined();
    },
  );

  it('the commonest accidents have messages of their own', async () => {
    const message = async (file: string): Promise<string> =>
      openCheckpoint(path.join(root, 'hostile_structures', file)).then(
        String,
        (error: Error) => error.message,
      );
    expect(await message('git_lfs_pointer.pth')).toMatch(/Git LFS pointer/);
    expect(await message('not_a_checkpoint.pth')).toMatch(/HTML page/);
    expect(await message('torchscript_archive.pt')).toMatch(/TorchScript/);
    expect(await message('truncated_zip.pth')).toMatch(/truncated/);
  });
});

describe('the comparison of checkpoints', () => {
  /** A copy of a fixture in which a text of a file is another. */
  function altered(id: string, file: string, from: RegExp, to: string): string {
    const folder = tempFolder();
    cpSync(path.join(own, id), folder, { recursive: true });
    const text = readFileSync(path.join(folder, file), 'utf8');
    expect(text).toMatch(from);
    writeFileSync(path.join(folder, file), text.replace(from, to));
    return folder;
  }

  it.each([
    ['zip_training_checkpoint', 'expected.json', /"shape": \[/, '"shape": [7, ', /^checkpoint\.pth: /],
    ['nested_wrappers', 'expected.json', /"values": \[/, '"values": [9, ', /^flat\.pth: /],
    ['nested_wrappers', 'config.json', /"backbone\. \(/, '"spine. (', /^teacher\.pth: cls_token/],
    ['opaque_globals', 'expected.json', /yacs\.config\.CfgNode/, 'yacs.Other', /yacs\.Other is not told/],
    ['whole_module_pickled', 'expected.json', /"0\.bias"/, '"0.other"', /0\.other/],
    [
      'hostile_prototype_names',
      'config.json',
      /"constructor": 2/,
      '"constructor": 3',
      /constructor is not 3/,
    ],
    ['zip_protocol_4', 'config.json', /"expect": "load"/, '"expect": "refuse"', /undefined/],
  ])('tells where %s differs from an altered %s', async (id, file, from, to, line) => {
    const folder = altered(id, file, from, to);
    if (to.includes('refuse')) {
      const config = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as {
        hyper: { files: string[] };
      };
      config.hyper.files = ['checkpoint.pth'];
      writeFileSync(path.join(folder, file), JSON.stringify(config));
      expect(await runCheckpointParity(folder)).toBe('checkpoint.pth: it is not refused');
    } else expect(await runCheckpointParity(folder)).toMatch(line);
  });
});
