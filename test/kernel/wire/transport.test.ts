import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as zmq from 'zeromq';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KernelClient } from '../../support/kernel/client.js';
import { address } from '../../support/kernel/process.js';
import { startStandIn, type StandInOptions } from '../../support/kernel/stand-in.js';
import { pack } from '../../support/kernel/wire-format.js';

async function start(options: StandInOptions = {}): Promise<KernelClient> {
  const kernel = await startStandIn(options);
  onTestFinished(() => kernel.stop());
  return kernel;
}

/** `ADDRESS:PORT` of all TCP sockets, of either version, on which the process listens. */
function listening(pid: number): string[] {
  const sockets = new Set<string>();
  for (const fd of readdirSync(`/proc/${pid}/fd`)) {
    try {
      sockets.add(/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? '');
    } catch {
      // closed meanwhile
    }
  }
  return ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      // 0A: it listens; the tenth field is the socket's inode
      .filter((fields) => fields[3] === '0A' && sockets.has(fields[9]!))
      .map((fields) => {
        const [host, port] = fields[1]!.split(':');
        const bytes = host!.match(/../g)!.reverse(); // little-endian
        return `${bytes.map((byte) => parseInt(byte, 16)).join('.')}:${parseInt(port!, 16)}`;
      }),
  );
}

describe.runIf(process.platform === 'linux')('a kernel', () => {
  it('listens on the addresses of the connection file and on nothing else', async () => {
    const kernel = await start();
    await kernel.execute('return 1');
    const { shell_port, iopub_port, stdin_port, control_port, hb_port } = kernel.connection;
    const ports = [shell_port, iopub_port, stdin_port, control_port, hb_port];
    expect(listening(kernel.pid).sort()).toEqual(ports.map((port) => `127.0.0.1:${port}`).sort());
  });

  it('over ipc listens on no port at all', async () => {
    const kernel = await start({ transport: 'ipc' });
    expect((await kernel.execute('print("x"); return 1')).result).toBe('1');
    expect(listening(kernel.pid)).toEqual([]);
    expect(
      readdirSync(path.dirname(kernel.connectionFile)).filter((name) => name.startsWith('socket-')),
    ).toHaveLength(5);
    expect(await kernel.shutdown()).toBeLessThan(1000);
  });
});

describe('encryption', () => {
  it.each(['tcp', 'ipc'] as const)('is on where the connection file has keys, over %s', async (transport) => {
    const kernel = await start({ curve: true, transport });
    expect((await kernel.execute('return 1')).result).toBe('1');
    expect(await kernel.heartbeat('beat')).toBe('beat');
  });

  it('keeps out a client without keys', async () => {
    const kernel = await start({ curve: true });
    const plain = new zmq.Dealer({ linger: 0, receiveTimeout: 700 });
    plain.connect(address(kernel.connection, 'shell'));
    const { frames } = pack(kernel.connection, { type: 'kernel_info_request', content: {}, session: 'x' });
    await plain.send(frames);
    await expect(plain.receive()).rejects.toThrow();
    plain.close();
    expect((await kernel.execute('return 1')).result).toBe('1');
  });
});

describe('signatures', () => {
  it('may be of another hash, or left out where the key is empty', async () => {
    for (const connection of [{ signature_scheme: 'hmac-sha512' }, { key: '' }]) {
      const kernel = await start({ connection });
      expect((await kernel.execute('return 1')).result).toBe('1');
    }
  });
});

describe('bad messages', () => {
  it('are named on stderr, counted, and the kernel goes on on every channel', async () => {
    const kernel = await start();
    const { connection } = kernel;
    const forged = () =>
      pack(
        { ...connection, key: 'guess' },
        { type: 'execute_request', content: { code: 'globalThis.hacked = 1' }, session: 'x' },
      ).frames;
    for (const channel of ['shell', 'control', 'stdin'] as const) {
      for (const frames of [
        forged(),
        ['no delimiter'],
        ['<IDS|MSG>', 'too', 'short'],
        ['<IDS|MSG>', 'x'.repeat(64), '{', '{}', '{}', '{}'],
        [Buffer.from([0, 255, 254]), Buffer.alloc(0)],
        Array.from({ length: 1000 }, () => 'part'),
      ]) {
        kernel.sendFrames(frames, channel);
      }
    }
    for (let i = 0; i < 500; i++) kernel.sendFrames(forged());
    expect((await kernel.execute('return typeof hacked')).result).toBe("'undefined'");
    expect((await kernel.request('kernel_info_request', {}, { channel: 'control' })).content).toMatchObject({
      status: 'ok',
    });
    kernel.onInput = () => 'typed';
    expect((await kernel.execute('return await input("?")', { allowStdin: true })).result).toBe("'typed'");
    const lines = kernel.log.trim().split('\n');
    expect(kernel.log).toMatch(/a message on shell is not used: wrong signature \(HMAC\)/);
    expect(kernel.log).toMatch(/a message on control is not used/);
    expect(kernel.log).toMatch(/a message on stdin is not used/);
    expect(lines.length).toBeLessThan(20); // 518 bad messages
  });

  it('recorded on the way and sent again are not run again', async () => {
    const kernel = await start();
    const content = { code: 'globalThis.runs = (globalThis.runs ?? 0) + 1' };
    const { frames } = pack(kernel.connection, { type: 'execute_request', content, session: 'x' });
    kernel.sendFrames(frames);
    kernel.sendFrames(frames);
    await sleep(200);
    expect((await kernel.execute('return runs')).result).toBe('1');
    expect(kernel.log).toMatch(/used before/);
  });

  it('with nonsense in their content get a reply', async () => {
    const kernel = await start();
    for (const type of ['complete', 'inspect', 'is_complete', 'history', 'comm_info', 'kernel_info']) {
      const content = {
        code: [1],
        cursor_pos: 'x',
        n: {},
        pattern: 7,
        hist_access_type: 5,
        target_name: null,
      };
      const reply = await kernel.request(`${type}_request`, content);
      expect([reply.type, type === 'is_complete' || reply.content['status']]).toEqual([
        `${type}_reply`,
        type === 'is_complete' || 'ok',
      ]);
    }
    for (const type of ['comm_open', 'comm_msg', 'comm_close']) kernel.send(type, { comm_id: 5 });
    expect((await kernel.execute('return 1')).result).toBe('1');
  });
});
