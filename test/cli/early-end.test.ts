import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

const study = `export default { name: 'mine', title: 'Mine?', protocol: 'neon-crowns', datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'], decoders: ['unet'], seeds: [0] };`;

function studyFolder(code: string): { cwd: string; env: { TMPDIR: string } } {
  const cwd = tempFolder();
  writeFileSync(path.join(cwd, 's.ts'), `${code}\n${study}`);
  mkdirSync(path.join(cwd, 'tmp'));
  return { cwd, env: { TMPDIR: path.join(cwd, 'tmp') } };
}

const shell = (line: string): Promise<{ code: number; stderr: string }> =>
  new Promise((resolve) => {
    execFile('bash', ['-c', line], { cwd: root }, (error, _stdout, stderr) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stderr }),
    );
  });

describe('a study file that would end or block the command', () => {
  it.each([
    ['await new Promise(() => {});', 'never settled'],
    ['process.exit(0);', 'process.exit'],
    ['process.exit(7);', 'process.exit'],
    ['setTimeout(() => process.exit(0), 0); await new Promise(() => {});', 'process.exit'],
  ])('is a typed error and leaves nothing behind: %s', async (code, reason) => {
    const where = studyFolder(code);
    const { code: exitCode, stdout } = await gondwana(['run', 's.ts', '--dry-run', '--json'], where);
    expect(exitCode).toBe(3);
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string; hint: string } };
    expect(error).toMatchObject({ code: 'STUDY_FILE', message: expect.stringContaining(reason) });
    expect(error.hint).not.toBe('');
    expect(readdirSync(where.env.TMPDIR)).toEqual([]);
  });

  it('does not mix what it prints with the document of --json', async () => {
    const { code, stdout, stderr } = await gondwana(
      ['run', 's.ts', '--dry-run', '--json'],
      studyFolder(`console.log('chatter');`),
    );
    expect(code, stderr).toBe(0);
    expect((JSON.parse(stdout) as { study: string }).study).toBe('mine');
    expect(stderr).toContain('chatter');
  });
});

describe('an output that cannot be written', () => {
  it('is no failure where its reader has seen enough', async () => {
    const { stderr } = await shell('node tools/gondwana.mjs models list | true');
    expect(stderr).toBe('');
  });

  it('is a typed error where it is full', async () => {
    const { code, stderr } = await shell('node tools/gondwana.mjs models list > /dev/full');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^WRITE_FAILED: /);
    expect(stderr).not.toContain('    at ');
  });

  it('stops nothing where it is that of notices', async () => {
    const { code } = await shell('node tools/gondwana.mjs dokter 2> >(true)');
    expect(code).toBe(2);
  });
});

describe('a place that cannot be used', () => {
  it('is refused for a store without a name', async () => {
    const { code, stderr } = await gondwana(['run', 'quickstart', '--store', '', '--dry-run']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^OPTION_VALUE: /);
  });
});
