import path from 'node:path';
import { UsageError } from '../errors.js';
import type { BatchJob } from './batch-script.js';
import { shellWord } from './batch-script.js';
import { wrong, type ClusterOptions } from './cluster-options.js';

/** What Kubernetes needs beside what every cluster does. */
export interface Container {
  readonly image: string;
  /** Of a persistent volume. */
  readonly claim: string;
  readonly mount: string;
}

/** @throws UsageError OPTION_MISSING, OPTION_VALUE */
export function containerOf({ image, claim }: ClusterOptions, store: string): Container {
  if (image === undefined || claim === undefined) {
    throw new UsageError('OPTION_MISSING', 'Kubernetes needs an image and a volume.', {
      where: image === undefined ? '--image' : '--claim',
      hint: '--format kubernetes --image REGISTRY/IMAGE:TAG --claim NAME:PATH, with the folder of the study below PATH.',
    });
  }
  if (!/^[\w./:@-]+$/.test(image)) throw wrong('image', image, 'e.g. registry.example.org/gondwana:1.0');
  const [, name, mount] =
    /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?):(\/.*)$/.exec(claim)?.filter((_, at) => at !== 2) ?? [];
  if (name === undefined || mount === undefined) throw wrong('claim', claim, 'e.g. scratch:/mnt/scratch');
  const inside = path.relative(mount, store);
  if (inside.startsWith('..') || path.isAbsolute(inside))
    throw wrong('claim', claim, `The folder of the study, ${store}, does not lie below ${mount}.`);
  return { image, claim: name, mount };
}

/** Exit code of a task that kept its state and wants to go on: it counts as no failure. */
const TO_BE_CONTINUED = 75;
/** Starts of an index that fails. */
const ATTEMPTS = 2;

/**
 * An Indexed Job (batch/v1, Kubernetes 1.33): index k computes line k of `runs.txt`, retried by itself, and begun again
 * without counting when it was stopped in the middle or its node was lost. As JSON, which `kubectl apply -f` takes.
 */
export function kubernetesJob(job: BatchJob, container: Container): string {
  const { demand } = job;
  const gpus = /^gpu(?::[A-Za-z][\w.-]*)?(?::(\d+))?$/.exec(demand.gres ?? '');
  const limits = {
    ...(demand.cpus !== undefined && { cpu: String(demand.cpus) }),
    ...(demand.mem !== undefined && { memory: memoryOf(demand.mem) }),
    ...(gpus && { 'nvidia.com/gpu': gpus[1] ?? '1' }),
  };
  const worker = [...job.command, 'worker', job.folder, ...job.plugins.flatMap((file) => ['--code', file])];
  const command = demand.setup
    ? ['/bin/bash', '-c', `${demand.setup}exec ${worker.map(shellWord).join(' ')}`]
    : worker;
  const document = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: job.name },
    spec: {
      completionMode: 'Indexed',
      completions: job.tasks,
      parallelism: Math.min(job.tasks, demand.arrayLimit ?? job.tasks),
      backoffLimitPerIndex: ATTEMPTS,
      podFailurePolicy: {
        rules: [
          {
            action: 'Ignore',
            onExitCodes: { containerName: 'worker', operator: 'In', values: [TO_BE_CONTINUED] },
          },
          { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
        ],
      },
      template: {
        spec: {
          restartPolicy: 'Never',
          terminationGracePeriodSeconds: 60,
          containers: [
            {
              name: 'worker',
              image: container.image,
              command,
              workingDir: job.cwd,
              ...(Object.keys(limits).length > 0 && { resources: { requests: limits, limits } }),
              volumeMounts: [{ name: 'study', mountPath: container.mount }],
            },
          ],
          volumes: [{ name: 'study', persistentVolumeClaim: { claimName: container.claim } }],
        },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Slurm's `32G`, which is GiB, in Kubernetes' words; its bare number is MiB. */
const memoryOf = (mem: string): string => {
  const [, amount, unit = 'M'] = /^(\d+)([KMGT]?)$/i.exec(mem)!;
  return `${amount}${(unit || 'M').toUpperCase()}i`;
};
