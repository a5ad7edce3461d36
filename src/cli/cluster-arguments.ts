import type { Command as Commander } from 'commander';
import { UsageError } from '../errors.js';
import { optionName, type ClusterOptions, type Place } from '../scale-out/cluster-options.js';
import { textOption, type Options } from './command.js';

/** What a task asks of a cluster, as options of a command. */
export const withClusterOptions = (command: Commander): Commander =>
  command
    .option('--partition <name>', "partition of the cluster (default: the cluster's)")
    .option('--account <name>', 'who pays')
    .option('--gres <what>', 'devices of a task, e.g. gpu:1')
    .option('--cpus <count>', 'processors of a task, which are its threads')
    .option('--mem <size>', 'memory of a task, e.g. 32G')
    .option('--time <limit>', 'limit of a task, or auto: told from runs that were measured (default: auto)')
    .option('--array-limit <count>', 'tasks that run at the same time at most')
    .option(
      '--pack <count>',
      'runs of a task, or auto: as many as take half an hour to an hour (default: auto)',
    )
    .option('--setup <file>', 'shell lines that a task begins with, e.g. module load …')
    .option('--format <form>', 'what --on script writes: slurm or kubernetes (default: slurm)')
    .option('--image <name>', 'container image, for Kubernetes')
    .option('--claim <name:path>', 'persistent volume claim and where it is mounted, for Kubernetes');

const PLACES: readonly string[] = ['local', 'slurm', 'script'];

/** @throws UsageError OPTION_VALUE */
export function placeOf(options: Options): Place | undefined {
  const place = textOption(options, 'on');
  if (place === undefined || PLACES.includes(place)) return place as Place | undefined;
  throw new UsageError('OPTION_VALUE', `Runs cannot be computed on "${place}".`, {
    where: '--on',
    hint: `Known: ${PLACES.join(', ')}.`,
  });
}

/** @throws UsageError OPTION_VALUE */
export function clusterOptions(options: Options): ClusterOptions {
  const texts = ['partition', 'account', 'gres', 'mem', 'time', 'setup', 'image', 'claim'] as const;
  const format = textOption(options, 'format');
  if (format !== undefined && format !== 'slurm' && format !== 'kubernetes') {
    throw new UsageError('OPTION_VALUE', `There is no form "${format}".`, {
      where: '--format',
      hint: 'Known: slurm, kubernetes.',
    });
  }
  const pack = textOption(options, 'pack');
  return {
    ...Object.fromEntries(
      texts.flatMap((name) => {
        const value = textOption(options, name);
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    ...countOption(options, 'cpus'),
    ...countOption(options, 'arrayLimit'),
    ...(pack === 'auto' ? { pack } : countOption(options, 'pack')),
    ...(format !== undefined && { format }),
  };
}

/** For runs that are computed here. @throws UsageError OPTION_VALUE */
export function refuseClusterOptions(options: Options): void {
  const [name] = Object.keys(clusterOptions(options));
  if (name === undefined) return;
  throw new UsageError('OPTION_VALUE', 'These options go with a cluster.', {
    where: optionName(name),
    hint: 'Add --on slurm or --on script.',
  });
}

/** @throws UsageError OPTION_VALUE */
function countOption<Name extends string>(options: Options, name: Name): { [key in Name]?: number } {
  const value = textOption(options, name);
  if (value === undefined) return {};
  if (/^\d+$/.test(value)) return { [name]: Number(value) } as { [key in Name]: number };
  throw new UsageError('OPTION_VALUE', `"${value}" is no count.`, {
    where: optionName(name),
    hint: 'It is a whole number from 1 on.',
  });
}
