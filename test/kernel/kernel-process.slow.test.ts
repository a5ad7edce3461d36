import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startKernel, type KernelCommand } from '../../src/kernel/client/kernel-process.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-kernel-process-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A kernel whose first `mute` starts never answer. */
function commandThatIsMute(mute: number): KernelCommand & { readonly starts: string } {
  const own = mkdtempSync(path.join(folder, 'kernel-'));
  const starts = path.join(own, 'starts');
  const program = path.join(own, 'start.cjs');
  writeFileSync(
    program,
    `const { existsSync, mkdirSync, readdirSync } = require('node:fs');
const starts = ${JSON.stringify(starts)};
mkdirSync(starts, { recursive: true });
const count = readdirSync(starts).length + 1;
mkdirSync(starts + '/' + count);
if (count <= ${mute}) setInterval(() => {}, 1000);
else {
  process.argv[1] = ${JSON.stringify(path.resolve('kernels/gondwana/start.mjs'))};
  import(require('node:url').pathToFileURL(process.argv[1]).href);
}
`,
  );
  const argv = ['node', program, '{connection_file}'];
  return { name: 'mute', folder: own, argv, env: {}, interruptMode: 'message', starts };
}

it('starts a kernel that does not answer once more', async () => {
  const command = commandThatIsMute(1);
  const kernel = await startKernel(command, { folder, readyWithinMs: 6000 });
  expect(kernel.info).toMatchObject({ status: 'ok' });
  await kernel.stop();
  expect(existsSync(path.join(command.starts, '2'))).toBe(true);
});

it('names a kernel that never answers', async () => {
  const command = commandThatIsMute(9);
  await expect(startKernel(command, { folder, readyWithinMs: 500 })).rejects.toMatchObject({
    code: 'KERNEL_START',
    where: command.folder,
  });
  expect(existsSync(path.join(command.starts, '3'))).toBe(false);
});
