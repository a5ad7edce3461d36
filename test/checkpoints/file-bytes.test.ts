import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FileBytes } from '../../src/checkpoints/file-bytes.js';
import { tempFolder } from '../support/temp-folder.js';

test('a named pipe, a device or a folder is NOT_A_FILE at once', () => {
  const pipe = path.join(tempFolder(), 'model.safetensors');
  execFileSync('mkfifo', [pipe]);
  for (const file of [pipe, '/dev/zero', path.dirname(pipe)]) {
    expect(() => FileBytes.open(file)).toThrow(expect.objectContaining({ code: 'NOT_A_FILE', where: file }));
  }
});
