import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { execute } from '../support/command-line.js';
import { root } from '../support/needs.js';

describe('a study that is killed at random moments', () => {
  it('keeps every finished record as it was and is completed by resume (bench/kill.sh: 5 of its 100 kills)', async () => {
    const { code, stdout, stderr } = await execute('bash', [path.join(root, 'bench/kill.sh'), '5']);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^5 kills .* 0 problems$/m);
  });
});
