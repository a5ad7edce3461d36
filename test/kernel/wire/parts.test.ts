import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { toCodePoints, toUtf16 } from '../../../src/kernel/wire/code-points.js';
import { Complaints } from '../../../src/kernel/wire/complaints.js';
import { LauncherWatch } from '../../../src/kernel/wire/launcher-watch.js';
import { launcherAddress, LAUNCHER_VARIABLE } from '../../../src/kernel/wire/launcher-link.js';
import { memoryLimit } from '../../../src/kernel/wire/memory-limit.js';
import { describeDeath } from '../../../src/kernel/wire/death-notice.js';
import { withoutQuietLog } from '../../../src/kernel/wire/native-log.js';
import { Questions } from '../../../src/kernel/wire/questions.js';

describe('places in code', () => {
  it('are counted in code points outside and in UTF-16 units inside', () => {
    const code = 'a🛰b';
    expect([0, 1, 2, 3, 9].map((position) => toUtf16(code, position))).toEqual([0, 1, 3, 4, 4]);
    expect([0, 1, 3, 4, 9].map((offset) => toCodePoints(code, offset))).toEqual([0, 1, 2, 3, 3]);
    expect(toUtf16('abc', Infinity)).toBe(3);
  });
});

describe('complaints', () => {
  it('are told once a while, each kind for itself, and count what was left out', async () => {
    const lines: string[] = [];
    const complaints = new Complaints((text) => lines.push(text), 30);
    for (let i = 0; i < 1000; i++) complaints.add('bad message', `number ${i}`);
    complaints.add('other');
    expect(lines).toEqual(['Gondwana kernel: bad message: number 0\n', 'Gondwana kernel: other\n']);
    await sleep(50);
    complaints.add('bad message', 'again');
    expect(lines.at(-1)).toBe('Gondwana kernel: bad message: again (999 more since the last line)\n');
    expect(complaints.count('bad message')).toBe(1001);
  });
});

describe('TensorFlow’s log', () => {
  const opening = 'WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n';
  const information = 'I0000 00:00:1796002424.874646   32214 port.cc:153] oneDNN custom operations are on.\n';
  const failure = 'E0000 00:00:1796002424.9   32214 core/util/port.cc:7] Failed.\n';

  it('is shown from the level asked for, and all else that is printed stays', () => {
    const text = `own line\n${opening}${information}${failure}I0 am not of the log\n`;
    expect(withoutQuietLog(text, '2')).toBe(`own line\n${failure}I0 am not of the log\n`);
    expect(withoutQuietLog(text, '3')).toBe('own line\nI0 am not of the log\n');
    for (const level of [undefined, '0', 'x']) expect(withoutQuietLog(text, level)).toBe(text);
  });
});

describe('questions to the language thread', () => {
  let channel: MessageChannel;
  afterEach(() => channel.port1.close());

  it('are answered empty when it takes too long', async () => {
    channel = new MessageChannel();
    const questions = new Questions(channel.port1, { firstMs: 30, laterMs: 30 });
    expect(await questions.complete({ code: 'a🛰', cursor_pos: 2 })).toEqual({
      status: 'ok',
      matches: [],
      cursor_start: 2,
      cursor_end: 2,
      metadata: {},
    });
    expect(await questions.inspect({ code: 'abc' })).toEqual({
      status: 'ok',
      found: false,
      data: {},
      metadata: {},
    });
    expect(await questions.isComplete({ code: 'abc' })).toEqual({ status: 'unknown' });
  });

  it('are answered empty at once when it has ended', async () => {
    channel = new MessageChannel();
    const questions = new Questions(channel.port1);
    const waiting = questions.isComplete({ code: 'a' });
    channel.port2.close();
    expect(await waiting).toEqual({ status: 'unknown' });
    expect(await questions.isComplete({ code: 'a' })).toEqual({ status: 'unknown' });
  });

  it('take a request without code or with a cursor outside of it', async () => {
    channel = new MessageChannel();
    const questions = new Questions(channel.port1, { firstMs: 1000 });
    channel.port2.on('message', ({ n, position }: { n: number; position: number }) =>
      channel.port2.postMessage({ n, answer: { start: position, end: position, matches: [] } }),
    );
    expect(await questions.complete({})).toMatchObject({ cursor_start: 0, cursor_end: 0 });
    expect(await questions.complete({ code: '🛰', cursor_pos: 99 })).toMatchObject({ cursor_start: 1 });
    expect(await questions.complete({ code: '🛰', cursor_pos: -5 })).toMatchObject({ cursor_start: 0 });
  });
});

describe('the limit of memory', () => {
  it('is that of the variable where it is a number', () => {
    expect(memoryLimit({ GONDWANA_MEMORY_LIMIT_MB: '1000' })).toEqual({
      limitBytes: 1000 * 2 ** 20,
      source: 'environment',
    });
  });

  it('is else that of the container or the machine', () => {
    for (const value of ['', 'much', '-5', '0']) {
      const { limitBytes, source } = memoryLimit({ GONDWANA_MEMORY_LIMIT_MB: value });
      expect(['container', 'machine']).toContain(source);
      expect(limitBytes).toBeGreaterThan(2 ** 27);
      expect(limitBytes).toBeLessThan(2 ** 50);
    }
  });
});

describe('the launcher', () => {
  const note = (value: unknown) => Buffer.from(`${JSON.stringify(value)}\n`);
  const queued = (id: string) => note({ type: 'queued', identities: ['00ff'], header: { msg_id: id } });

  it('knows from notes, also cut and foreign ones, who waits for a reply', () => {
    const watch = new LauncherWatch();
    watch.read(Buffer.from('what a cell wrote\n'));
    watch.read(queued('a').subarray(0, 10));
    watch.read(Buffer.concat([queued('a').subarray(10), queued('b')]));
    watch.read(note({ type: 'memory', residentBytes: 5 }));
    expect(watch.open.map(({ header }) => header.msg_id)).toEqual(['a', 'b']);
    expect(watch.open[0]!.identities).toEqual([Buffer.from([0, 255])]);
    watch.read(note({ type: 'ended', id: 'a' }));
    expect(watch.open.map(({ header }) => header.msg_id)).toEqual(['b']);
    expect(watch.residentBytes).toBe(5);
    expect(watch.isEnding).toBe(false);
    watch.read(note({ type: 'ending' }));
    expect(watch.isEnding).toBe(true);
  });

  it('is believed only where it is the parent', () => {
    expect(launcherAddress({ [LAUNCHER_VARIABLE]: `3:${process.ppid}` })).toEqual({
      fd: 3,
      pid: process.ppid,
    });
    expect(launcherAddress({ [LAUNCHER_VARIABLE]: `3:${process.pid}` })).toBeUndefined();
    expect(launcherAddress({ [LAUNCHER_VARIABLE]: 'x' })).toBeUndefined();
    expect(launcherAddress({})).toBeUndefined();
  });

  it('says of each death what it was and what to do', () => {
    const gb = 2 ** 30;
    const text = (code: number | null, signal: NodeJS.Signals | null, residentBytes: number) =>
      describeDeath({ code, signal, residentBytes, limitBytes: 4 * gb }).traceback.join('\n');
    expect(text(null, 'SIGKILL', 3.9 * gb)).toMatch(
      /memory ran out: it held 3.9 GB of memory of at most 4.0 GB.*\nTo do: work in smaller parts/,
    );
    expect(text(null, 'SIGKILL', 0.5 * gb)).toMatch(/killed from outside/);
    expect(text(null, 'SIGABRT', 3 * gb)).toMatch(
      /V8 or a native library gave up \(SIGABRT\), most often because its memory was full/,
    );
    expect(text(null, 'SIGABRT', 0)).toMatch(
      /Node or a native library gave up \(SIGABRT\): a fault.*its memory is not known/,
    );
    expect(text(null, 'SIGSEGV', gb)).toMatch(/native library crashed.*SIGSEGV/);
    expect(text(7, null, gb)).toMatch(/exit code 7: a cell called process.exit/);
  });
});
