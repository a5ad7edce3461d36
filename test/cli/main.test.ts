import { describe, expect, it } from 'vitest';
import { gondwana } from '../support/command-line.js';

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
