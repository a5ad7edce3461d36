import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { taskDemand } from '../../src/scale-out/cluster-options.js';
import { containerOf, kubernetesJob } from '../../src/scale-out/kubernetes-job.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

/** Kubernetes' own schema of a Job, which knows every member and takes no other. */
const schema = z.fromJSONSchema(
  JSON.parse(readFileSync(path.join(root, 'test/fixtures/kubernetes/job-1.33.json'), 'utf8')) as Parameters<
    typeof z.fromJSONSchema
  >[0],
);

interface Job {
  spec: {
    completions: number;
    parallelism: number;
    template: {
      spec: { containers: { command: string[]; resources: { limits: Record<string, string> } }[] };
    };
  };
}

function jobOf(setup?: string): Job {
  const options = { image: 'registry.example.org/gondwana:1.0', claim: 'scratch:/mnt/scratch' };
  const text = kubernetesJob(
    {
      ...{
        name: 'gondwana-s-1-0a1b2c3d',
        store: '/mnt/scratch/s',
        folder: '/mnt/scratch/s/submissions/0001',
      },
      ...{ cwd: '/mnt/scratch', command: ['gondwana'], plugins: [`/mnt/scratch/it's.ts`], tasks: 12 },
      limitMinutes: 60,
      demand: taskDemand({ gres: 'gpu:a100:2', cpus: 8, mem: '32G', arrayLimit: 5, ...(setup && { setup }) }),
    },
    containerOf(options, '/mnt/scratch/s'),
  );
  return JSON.parse(text) as Job;
}

describe('the manifest of an Indexed Job', () => {
  it("fits Kubernetes' schema, which refuses what it does not know", () => {
    const job = jobOf();
    expect(schema.safeParse(job).error).toBeUndefined();
    expect(schema.safeParse({ ...job, spec: { ...job.spec, completionModes: 'Indexed' } }).success).toBe(
      false,
    );
  });

  it('asks for what was asked for, and quotes only where a shell is needed', () => {
    const { completions, parallelism, template } = jobOf().spec;
    const [container] = template.spec.containers;
    expect([completions, parallelism]).toEqual([12, 5]);
    expect(container!.resources.limits).toEqual({ cpu: '8', memory: '32Gi', 'nvidia.com/gpu': '2' });
    const words = ['gondwana', 'worker', '/mnt/scratch/s/submissions/0001', '--code', `/mnt/scratch/it's.ts`];
    expect(container!.command).toEqual(words);
    const setup = path.join(tempFolder(), 'setup.sh');
    writeFileSync(setup, 'export A=1\n');
    const [, , script] = jobOf(setup).spec.template.spec.containers[0]!.command;
    expect(script).toMatch(/^export A=1\nexec 'gondwana' .*'\/mnt\/scratch\/it'\\''s\.ts'$/);
  });

  it('needs an image, and the folder of the study on the volume', () => {
    expect(() => containerOf({ image: 'x' }, '/a')).toThrow(
      expect.objectContaining({ code: 'OPTION_MISSING' }),
    );
    for (const options of [
      { image: 'x', claim: 'scratch:/elsewhere' },
      { image: 'x y', claim: 'scratch:/a' },
      { image: 'x', claim: '/a' },
    ])
      expect(() => containerOf(options, '/a/b')).toThrow(expect.objectContaining({ code: 'OPTION_VALUE' }));
  });
});
