// A Slurm cluster of this one machine, for tests and benches: munged, slurmctld and a slurmd a node, all started here and
// stopped by their process ids. As root; what it needs is installed by installSlurm (test-needs.mjs).
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export const DAEMONS = ['/usr/sbin/munged', '/usr/sbin/slurmctld', '/usr/sbin/slurmd'];

/**
 * @param folder of configuration, logs and state; it lasts as long as the cluster
 * @param options nodes; cpus and memory (MB) of each, claimed, whatever the machine has; gpus of each, stand-ins; port of the
 * controller, those of the nodes follow; maxArraySize; memory enforced by `poll` (a look each second) or `cgroup` (the kernel)
 */
export async function startCluster(folder, options = {}) {
  const settings = {
    ...{ nodes: 4, cpus: 2, memory: 2000, gpus: 2, port: 16_900, maxArraySize: 2001, enforce: 'poll' },
    ...options,
  };
  const at = (...parts) => path.join(folder, ...parts);
  for (const part of ['etc', 'log', 'run', 'state', 'spool', 'gpu']) mkdirSync(at(part), { recursive: true });
  for (const part of ['.', 'run', 'log']) chmodSync(at(part), 0o755); // munged is strict about who can write there
  const children = new Map();
  const start = (name, program, args) => {
    const log = openSync(at('log', `${name}.out`), 'a');
    // the kernel ends a daemon whose starter is gone, in whatever way that ended
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...args], {
      stdio: ['ignore', log, log],
      detached: true,
      env: { ...process.env, SLURM_CONF: at('etc', 'slurm.conf') },
    });
    child.on('error', () => undefined);
    children.set(name, child);
    return child;
  };
  writeConfiguration(at, settings);
  const env = { SLURM_CONF: at('etc', 'slurm.conf') };
  const ask = (program, args) => {
    const { status, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    return { status, stdout: stdout ?? '', stderr: stderr ?? '' };
  };
  const startNode = (name) =>
    start(name, '/usr/sbin/slurmd', ['-D', '-N', name, '-f', at('etc', 'slurm.conf')]);
  const startController = () =>
    start('slurmctld', '/usr/sbin/slurmctld', ['-D', '-f', at('etc', 'slurm.conf')]);
  const nodes = Array.from({ length: settings.nodes }, (_, index) => `n${index + 1}`);
  const isUp = () => {
    const { stdout } = ask('sinfo', ['-h', '-N', '-p', 'main', '-t', 'idle,mixed,alloc', '-o', '%N %T']);
    // a star stands for a node that does not respond
    const up = stdout.split('\n').filter((line) => line.trim() !== '' && !line.trim().endsWith('*'));
    return new Set(up.map((line) => line.split(' ')[0])).size === nodes.length;
  };

  const hurried = new Map();
  const cluster = {
    folder,
    env,
    nodes,
    ask,
    isUp,
    startNode,
    /** After `stopController`: a controller that missed a node's answer asks it again only after minutes, unless it is told to. */
    async restartController() {
      startController();
      let askedAt = performance.now();
      await until(() => {
        if (isUp()) return true;
        if (performance.now() - askedAt > 5000) {
          askedAt = performance.now();
          ask('scontrol', ['reconfigure']);
        }
        return false;
      }, 60);
    },
    /**
     * A controller that is cut off forgets the numbers of the jobs of its last seconds, and drains the nodes that have one of
     * such a number when it gives it again: this one saves its state.
     */
    async stopController() {
      const child = children.get('slurmctld');
      children.delete('slurmctld');
      await end(child);
    },
    /** Ends a daemon at once, as a power cut would. */
    kill(name) {
      children.get(name).kill('SIGKILL');
      children.delete(name);
    },
    signal: (name, signal) => children.get(name).kill(signal),
    /** Begins tasks that were put back at once, which Slurm does after two minutes. */
    hurry(jobs) {
      const { stdout } = ask('squeue', ['-h', '-r', '-t', 'PENDING', '-o', '%A|%r']);
      for (const line of stdout.trim().split('\n')) {
        const [job, reason] = line.split('|');
        // each word makes the scheduler begin anew
        const isTold = performance.now() - (hurried.get(job) ?? -Infinity) < 5000;
        if (reason !== 'BeginTime' || isTold || !jobs.includes(job)) continue;
        hurried.set(job, performance.now());
        ask('scontrol', ['update', `JobId=${job}`, 'StartTime=now']);
      }
    },
    async stop() {
      for (const child of children.values()) child.kill('SIGCONT');
      if (children.has('slurmctld')) {
        ask('scancel', ['--user=root', '--signal=KILL', '--full']);
        ask('scancel', ['--user=root']);
        await until(() => ask('squeue', ['-h']).stdout.trim() === '', 6).catch(() => undefined);
      }
      for (const pid of stepProcesses(at, ask)) tryKill(pid, 'SIGKILL');
      const names = [...children.keys()].sort((a, b) => order(a) - order(b));
      for (const name of names) await end(children.get(name));
      removeGroups(nodes);
    },
  };
  try {
    const key = at('etc', 'munge.key');
    if (!existsSync(key)) writeFileSync(key, randomBytes(1024), { mode: 0o600 });
    const socket = at('run', 'munge.socket');
    start('munged', '/usr/sbin/munged', [
      ...['-F', '--force', '--num-threads=4', `--key-file=${key}`, `--socket=${socket}`],
      ...[`--pid-file=${at('run', 'munged.pid')}`, `--seed-file=${at('run', 'munge.seed')}`],
      `--log-file=${at('log', 'munged.log')}`,
    ]);
    await until(() => existsSync(socket), 10);
    startController();
    for (const name of nodes) startNode(name);
    await until(isUp, 30);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** Nodes first, munged last, which the others need to say goodbye. */
const order = (name) => (name === 'munged' ? 2 : name === 'slurmctld' ? 1 : 0);

/** @throws Error after so many seconds */
export async function until(isTrue, seconds) {
  const end = performance.now() + seconds * 1000;
  while (!(await isTrue())) {
    if (performance.now() > end) throw new Error(`not so within ${seconds} s: ${isTrue}`);
    await sleep(50);
  }
}

function tryKill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // gone already
  }
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await Promise.race([ended, sleep(5000)]);
  child.kill('SIGKILL');
  await Promise.race([ended, sleep(2000)]);
}

/** Processes of steps, as Slurm itself names them: a step has a socket `NODE_JOB.STEP` in the spool folder. */
function stepProcesses(at, ask) {
  const pids = [];
  for (const node of readdirSync(at('spool'))) {
    for (const name of readdirSync(at('spool', node))) {
      const job = new RegExp(`^${node}_(\\d+)\\.`).exec(name)?.[1];
      if (job === undefined || !statSync(at('spool', node, name)).isSocket()) continue;
      for (const line of ask('scontrol', ['listpids', job, node]).stdout.split('\n').slice(1)) {
        const pid = /^(\d+)\s/.exec(line)?.[1];
        if (pid !== undefined) pids.push(Number(pid));
      }
    }
  }
  return pids;
}

/** Control groups that slurmd leaves behind. */
function removeGroups(nodes) {
  const root = '/sys/fs/cgroup';
  if (!existsSync(root)) return;
  for (const controller of readdirSync(root)) {
    for (const node of nodes) {
      const group = path.join(root, controller, `slurm_${node}`);
      if (existsSync(group)) spawnSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';']);
    }
  }
}

/** Whether the kernel lets this process limit memory by control groups (version 1). */
export function canLimitMemory() {
  const group = `/sys/fs/cgroup/memory/gondwana-try-${process.pid}`;
  try {
    mkdirSync(group);
    spawnSync('rmdir', [group]);
    return true;
  } catch {
    return false;
  }
}

function writeConfiguration(at, { nodes, cpus, memory, gpus, port, maxArraySize, enforce }) {
  const host = hostname().split('.')[0];
  const isCgroup = enforce === 'cgroup';
  writeFileSync(
    at('etc', 'cgroup.conf'),
    isCgroup
      ? 'CgroupPlugin=autodetect\nCgroupAutomount=no\nConstrainCores=no\nConstrainRAMSpace=yes\nConstrainSwapSpace=no\n'
      : 'CgroupPlugin=cgroup/v1\nIgnoreSystemd=yes\n',
  );
  for (let index = 0; index < gpus; index++) {
    const device = at('gpu', `nvidia${index}`); // a character device is asked for: /dev/null by another name
    rmSync(device, { force: true });
    spawnSync('mknod', [device, 'c', '1', '3']);
  }
  const gres = gpus > 0 ? ` Gres=gpu:fake:${gpus}` : '';
  writeFileSync(
    at('etc', 'gres.conf'),
    gpus > 0 ? `NodeName=n[1-${nodes}] Name=gpu Type=fake File=${at('gpu')}/nvidia[0-${gpus - 1}]\n` : '',
  );
  const lines = {
    ClusterName: 'gondwana',
    SlurmctldHost: `${host}(127.0.0.1)`,
    SlurmUser: 'root',
    SlurmdUser: 'root',
    SlurmctldPort: port,
    AuthType: 'auth/munge',
    AuthInfo: `socket=${at('run', 'munge.socket')}`,
    CredType: 'cred/munge',
    StateSaveLocation: at('state'),
    SlurmdSpoolDir: `${at('spool')}/%n`,
    SlurmctldPidFile: at('run', 'slurmctld.pid'),
    SlurmdPidFile: `${at('run')}/%n.pid`,
    SlurmctldLogFile: at('log', 'slurmctld.log'),
    SlurmdLogFile: `${at('log')}/%n.log`,
    ProctrackType: isCgroup ? 'proctrack/cgroup' : 'proctrack/linuxproc',
    TaskPlugin: isCgroup ? 'task/cgroup' : 'task/none',
    JobAcctGatherType: 'jobacct_gather/linux',
    ...(isCgroup ? {} : { JobAcctGatherFrequency: 1, JobAcctGatherParams: 'OverMemoryKill,UsePss' }),
    SwitchType: 'switch/none',
    MpiDefault: 'none',
    ReturnToService: 2,
    SlurmdTimeout: 10,
    SlurmctldTimeout: 10,
    InactiveLimit: 0,
    KillWait: 8,
    MinJobAge: 300,
    SchedulerType: 'sched/backfill',
    SchedulerParameters: 'sched_interval=2,bf_interval=5,sched_min_interval=0,batch_sched_delay=0',
    SelectType: 'select/cons_tres',
    SelectTypeParameters: 'CR_Core_Memory',
    DefMemPerCPU: 200,
    MaxArraySize: maxArraySize,
    MaxJobCount: 20_000,
    AccountingStorageType: 'accounting_storage/none',
    JobRequeue: 1,
    PreemptType: 'preempt/partition_prio',
    PreemptMode: 'REQUEUE',
    SlurmdParameters: 'config_overrides', // claims more processors than there are
    PropagateResourceLimits: 'NONE',
    MailProg: '/bin/true',
    ...(gpus > 0 && { GresTypes: 'gpu' }),
  };
  const ports = `${port + 10}-${port + 9 + nodes}`;
  const text = [
    ...Object.entries(lines).map(([name, value]) => `${name}=${value}`),
    `NodeName=n[1-${nodes}] NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports} CPUs=${cpus} RealMemory=${memory}${gres} State=UNKNOWN`,
    'PartitionName=main Nodes=ALL Default=YES MaxTime=60 DefaultTime=10 State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=0',
    'PartitionName=urgent Nodes=ALL MaxTime=60 State=UP PriorityTier=10 PreemptMode=OFF',
  ];
  writeFileSync(at('etc', 'slurm.conf'), `${text.join('\n')}\n`);
}

/** Where the queue of a cluster lies, for a message. */
export const logOf = (cluster, name) => readFileSync(path.join(cluster.folder, 'log', name), 'utf8');
