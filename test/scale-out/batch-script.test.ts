import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { batchOptions, batchScript, shellWord, type BatchJob } from '../../src/scale-out/batch-script.js';
import { taskDemand, type ClusterOptions } from '../../src/scale-out/cluster-options.js';
import { tempFolder } from '../support/temp-folder.js';

const job = (more: Partial<BatchJob> = {}): BatchJob => ({
  ...{ name: 'gondwana-s-1-00000000', store: '/data/s', folder: '/data/s/submissions/0001', cwd: '/home/me' },
  ...{ command: ['/usr/bin/node', '/opt/gondwana.mjs'], plugins: [], tasks: 12, limitMinutes: 90 },
  demand: taskDemand({ partition: 'gpu', gres: 'gpu:1', cpus: 8, mem: '32G', arrayLimit: 4 }),
  ...more,
});

describe('the script of an array', () => {
  it('asks for what was asked for, and lets Node take the place of the shell', () => {
    const lines = batchScript(job()).trimEnd().split('\n');
    expect(lines[0]).toBe('#!/bin/bash');
    for (const line of [
      'array=0-11%4',
      'partition=gpu',
      'gres=gpu:1',
      'cpus-per-task=8',
      'mem=32G',
      'requeue',
    ])
      expect(lines).toContain(`#SBATCH --${line}`);
    expect(lines).toContain('#SBATCH --signal=B:TERM@120');
    expect(lines.at(-1)).toMatch(/^exec '\/usr\/bin\/node' /);
  });

  it('warns a short task a quarter of its limit before', () => {
    expect(batchScript(job({ limitMinutes: 1 }))).toContain('B:TERM@15\n');
  });

  it.each([`it's`, '$(touch pwned)', '"; touch pwned; "', '`touch pwned`', 'a\nb', '\\', ' *'])(
    'hands %j to a program as one word',
    (word) => {
      const folder = tempFolder();
      const out = execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(out).toBe(word);
    },
  );

  it('runs set-up lines first, and nothing of a path', () => {
    const folder = path.join(tempFolder(), `x'; touch pwned; '`);
    mkdirSync(folder);
    const program = path.join(folder, 'show.sh');
    writeFileSync(program, 'echo "$FROM_SETUP|$@|$(ls)"');
    const setup = path.join(folder, 'setup.sh');
    writeFileSync(setup, 'export FROM_SETUP=yes');
    const text = batchScript(
      job({ folder: `${folder}/submissions/0001`, command: ['sh', program], demand: taskDemand({ setup }) }),
    );
    const out = execFileSync('bash', [], { input: text, cwd: folder, encoding: 'utf8' });
    expect(out).toContain(`yes|worker ${folder}/submissions/0001`);
    expect(out).not.toContain('pwned\n');
  });

  it('refuses a folder that Slurm cannot take, and doubles its percent signs', () => {
    expect(() => batchOptions(job({ cwd: '/a\nb' }))).toThrow(
      expect.objectContaining({ code: 'PATH_UNSAFE' }),
    );
    expect(() => batchOptions(job({ store: '/a\\b' }))).toThrow(
      expect.objectContaining({ code: 'PATH_UNSAFE' }),
    );
    expect(batchOptions(job({ store: '/50 %j' }))).toContainEqual(['output', '/50 %%j/logs/%A_%a.log']);
  });
});

describe('what a task asks for', () => {
  it.each([
    [{ partition: 'gpu;reboot' }],
    [{ partition: 'gpu --wrap=x' }],
    [{ account: '$(id)' }],
    [{ gres: 'gpu:1\n#SBATCH --uid=0' }],
    [{ mem: '32 G' }],
    [{ mem: '0' }],
    [{ cpus: 0 }],
    [{ cpus: 1.5 }],
    [{ arrayLimit: -1 }],
    [{ pack: 0 }],
    [{ time: 'soon' }],
    [{ time: '0' }],
    [{ time: 'UNLIMITED' }],
  ] as [ClusterOptions][])('%j is refused', (options) =>
    expect(() => taskDemand(options)).toThrow(expect.objectContaining({ code: 'OPTION_VALUE' })),
  );
});
