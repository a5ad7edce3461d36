import { describe, expect, it } from 'vitest';
import { readdirSync } from 'node:fs';
import { gondwana } from '../support/command-line.js';
import { tempFolder } from '../support/temp-folder.js';

describe('the command line', () => {
  it('names the nearest command for a mistyped one and exits 2', async () => {
    const { code, stdout, stderr } = await gondwana(['dokter']);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toContain('There is no command "dokter"');
    expect(stderr).toContain('Did you mean "doctor"?');
  });

  it('names the nearest command inside a group', async () => {
    const { code, stdout } = await gondwana(['engine', 'instal', '--json']);
    expect(code).toBe(2);
    const { error } = JSON.parse(stdout) as { error: { code: string; hint: string } };
    expect(error.code).toBe('COMMAND_UNKNOWN');
    expect(error.hint).toContain('"engine install"');
  });

  it('prints a usage error as one JSON document with code, message, where and hint', async () => {
    const { code, stdout } = await gondwana(['run', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'USAGE',
        message: "Missing required argument 'study'.",
        where: 'gondwana run --json',
        hint: '`gondwana run --help` shows its arguments and options.',
      },
    });
  });

  it('refuses an unknown option and suggests the one that was meant', async () => {
    const { code, stderr } = await gondwana(['run', 'quickstart', '--quik']);
    expect(code).toBe(2);
    expect(stderr).toContain("Unknown option '--quik'");
    expect(stderr).toContain('--quick');
  });

  it('refuses a number of processes that is none before anything is told or written', async () => {
    const folder = tempFolder();
    const { code, stdout, stderr } = await gondwana(['run', 'quickstart'], {
      cwd: folder,
      env: { GONDWANA_WORKERS: '0' },
    });
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^OPTION_VALUE: GONDWANA_WORKERS is "0"/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names its help without a gap where no command was given', async () => {
    const { stderr } = await gondwana(['--quik']);
    expect(stderr).toContain('`gondwana --help`');
  });

  it('shows help on stdout and exits 0', async () => {
    const { code, stdout } = await gondwana(['run', '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('--dry-run');
  });

  it('prints the version of package.json', async () => {
    const { code, stdout } = await gondwana(['--version']);
    expect(code).toBe(0);
    expect(stdout.trim()).toMatch(/^\d+\.\d+\.\d+$/);
  });
});
