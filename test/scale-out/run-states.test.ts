import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FailureNote } from '../../src/results/store.js';
import { runStates, type RunState } from '../../src/scale-out/run-states.js';
import type { QueuedRun, QueueView } from '../../src/scale-out/submissions.js';
import { tempFolder } from '../support/temp-folder.js';

const RUN = '0000000a';
const task = (state: string, job = '7'): QueuedRun =>
  ({
    submission: { name: 'gondwana-s-1-00000000' },
    index: 3,
    task: { job, state, reason: 'Resources', node: '' },
  }) as unknown as QueuedRun;
const failure: FailureNote = {
  code: 'X',
  message: 'x',
  where: '',
  hint: '',
  exitCode: 1,
  log: 'logs/7_3.log',
};

interface Known {
  readonly done?: boolean;
  readonly queued?: QueuedRun | 'unknown';
  readonly attempts?: readonly string[];
  readonly failed?: boolean;
  /** Logs that are there, with what they say. */
  readonly logs?: Readonly<Record<string, string>>;
  readonly lastTask?: ReturnType<QueueView['lastTaskOf']>;
}

function stateOf({
  done = false,
  queued,
  attempts = [],
  failed = false,
  logs = {},
  lastTask,
}: Known): RunState {
  const folder = tempFolder();
  mkdirSync(path.join(folder, 'attempts'));
  for (const name of attempts)
    writeFileSync(
      path.join(folder, 'attempts', `${RUN}.${name}`),
      JSON.stringify({
        submission: '0001',
        log: `logs/${name.split('.')[0]}.log`,
        beganAt: name.split('_')[0]!.padStart(4, '0'),
      }),
    );
  mkdirSync(path.join(folder, 'logs'));
  for (const [name, text] of Object.entries(logs)) writeFileSync(path.join(folder, 'logs', name), text);
  const store = {
    folder,
    ids: () => (done ? [RUN] : []),
    failures: () => new Map(failed ? [[RUN, failure]] : []),
  };
  const queue: QueueView = {
    silence: undefined,
    tasks: new Map(),
    taskOf: () => queued,
    lastTaskOf: () => lastTask,
  };
  return runStates(store, [RUN], queue).get(RUN)!;
}

describe('the state of a run', () => {
  it('is its record, whatever the queue says', () => {
    expect(stateOf({ done: true, queued: task('RUNNING'), failed: true })).toEqual({ state: 'done' });
    expect(stateOf({ done: true, queued: 'unknown' })).toEqual({ state: 'done' });
  });

  it('is that of its task, else that of its last attempt', () => {
    expect(stateOf({ queued: task('PENDING') })).toEqual({ state: 'queued', waitsFor: 'Resources' });
    expect(stateOf({ queued: task('RUNNING'), attempts: ['7_3.0'] }).state).toBe('running');
    expect(stateOf({ queued: task('RUNNING') }).state).toBe('queued'); // others of its task are before it
    expect(stateOf({ queued: task('COMPLETED') }).state).toBe('missing');
    expect(stateOf({ failed: true }).state).toBe('failed');
    expect(stateOf({}).state).toBe('missing');
  });

  it('is unknown, never missing, where the cluster does not answer', () => {
    expect(stateOf({ queued: 'unknown', failed: true, attempts: ['7_3.0'] }).state).toBe('unknown');
  });

  it('is queued again after a failure, and failed where the task at work has noted one', () => {
    expect(stateOf({ queued: task('PENDING', '8'), failed: true, attempts: ['7_3.0.failed'] }).state).toBe(
      'queued',
    );
    expect(stateOf({ queued: task('RUNNING', '7'), failed: true, attempts: ['7_3.0.failed'] }).state).toBe(
      'failed',
    );
  });

  it('is failed after three kills; what was stopped in order is no kill', () => {
    const missing = { state: 'missing', log: 'logs/10_3.log', endedBy: 'unknown' };
    expect(stateOf({ attempts: ['7_3.0', '10_3.0'] })).toEqual(missing);
    expect(stateOf({ attempts: ['7_3.0', '8_3.0.killed', '9_3.0.killed', '10_3.0'] })).toEqual(missing);
    expect(stateOf({ attempts: ['7_3.0', '8_3.0', '9_3.0.stopped'] }).state).toBe('missing');
    const killed = stateOf({ attempts: ['7_3.0', '8_3.0', '9_3.0'] });
    expect(killed).toMatchObject({ state: 'failed', failure: { code: 'RUN_KILLED' }, log: 'logs/9_3.log' });
  });

  it('tells how the last task of a missing run ended', () => {
    const attempts = ['7_3.0'];
    const told = (text: string): RunState['endedBy'] =>
      stateOf({ attempts, logs: { '7_3.log': text } }).endedBy;
    expect(told('slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch.')).toBe('memory');
    expect(
      told('slurmstepd: error: *** JOB 7 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***'),
    ).toBe('time');
    expect(told('')).toBe('unknown');
    expect(stateOf({ attempts: ['7_3.0.stopped'] })).toEqual({ state: 'missing', log: 'logs/7_3.log' });
    // a task that wrote a log and began no run, of later than the one that was killed
    const lastTask = { submission: '0002', name: '6_3' };
    expect(stateOf({ attempts, logs: { '6_3.log': '' }, lastTask }).endedBy).toBe('itself');
    expect(stateOf({ attempts, lastTask }).endedBy).toBe('unknown');
    expect(
      stateOf({ attempts, logs: { '7_3.log': '' }, lastTask: { submission: '0001', name: '7_3' } }).endedBy,
    ).toBe('unknown');
    expect(stateOf({ attempts: ['7_3.0', '8_3.0.stopped'] })).toEqual({
      state: 'missing',
      log: 'logs/8_3.log',
    });
    expect(stateOf({ logs: { '6_3.log': '' }, lastTask })).toEqual({
      state: 'missing',
      log: 'logs/6_3.log',
      endedBy: 'itself',
    });
  });
});
