import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KernelClient } from '../../support/kernel/client.js';
import { makeConnection, repository, startProcess } from '../../support/kernel/process.js';
import { endsWithin } from '../../support/kernel/processes.js';
import { startStandIn, type StandInOptions } from '../../support/kernel/stand-in.js';

async function start(options: StandInOptions = {}): Promise<KernelClient> {
  const kernel = await startStandIn(options);
  onTestFinished(() => kernel.stop());
  return kernel;
}

describe('shutdown', () => {
  it('with open timers, sockets and promises takes less than a second', async () => {
    const kernel = await start();
    await kernel.execute(`
      setInterval(() => {}, 1000);
      (await load('node:net')).createServer().listen(0, '127.0.0.1');
      globalThis.never = new Promise(() => {});`);
    expect(await kernel.shutdown()).toBeLessThan(1000);
    expect(kernel.messages.at(-1)!.content).toEqual({ execution_state: 'idle' });
    expect(kernel.messages.find(({ type }) => type === 'shutdown_reply')!.content).toMatchObject({
      status: 'ok',
    });
    expect(kernel.log).toBe('');
  });

  it('works over shell too, and says whether the kernel is started again', async () => {
    const kernel = await start();
    const reply = kernel.request('shutdown_request', { restart: true });
    expect((await reply).content).toEqual({ status: 'ok', restart: true });
    expect(await kernel.exit).toEqual({ code: 0, signal: null });
  });

  it('of a kernel in a loop takes less than a second', async () => {
    const kernel = await start({ launcher: true });
    const { done } = kernel.submit('while (true) {}');
    done.catch(() => {});
    await sleep(100);
    expect(await kernel.shutdown()).toBeLessThan(1000);
    expect(await kernel.exit).toEqual({ code: 0, signal: null });
  });
});

describe('a kernel whose parent is killed', () => {
  it('ends within a second or two, its launcher and children too', async () => {
    const { file, remove } = await makeConnection();
    onTestFinished(remove);
    const launcher = path.join(repository, 'test/support/kernel/stand-in-launcher.mjs');
    // a parent that starts a kernel as Jupyter does, tells its id and waits
    const parent = spawn(
      process.execPath,
      [
        '-e',
        `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(launcher)}, ${JSON.stringify(file)}], { detached: true, stdio: 'ignore' });
         process.stdout.write(String(child.pid)); setInterval(() => {}, 1000);`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const launcherPid = Number(
      await new Promise((resolve) => parent.stdout.once('data', (text) => resolve(text))),
    );
    onTestFinished(() => {
      for (const pid of [-launcherPid, parent.pid!]) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // gone, as it should be
        }
      }
    });
    const children = `/proc/${launcherPid}/task/${launcherPid}/children`;
    let kernelPid = 0;
    for (let i = 0; i < 200 && kernelPid === 0; i++) {
      await sleep(20);
      kernelPid = existsSync(children) ? Number(readFileSync(children, 'utf8').trim()) : 0;
    }
    expect(kernelPid).toBeGreaterThan(0);
    await sleep(700);
    parent.kill('SIGKILL');
    expect(await endsWithin(2000, launcherPid)).toBe(true);
    expect(await endsWithin(2000, kernelPid)).toBe(true);
  });

  it('ends when only its launcher is killed', async () => {
    const kernel = await start({ launcher: true });
    const { result } = await kernel.execute('return process.pid');
    kernel.kill('SIGKILL');
    expect(await endsWithin(2000, Number(result))).toBe(true);
  });
});

describe('a kernel that cannot start', () => {
  /** Starts it with this connection file, without a client. */
  async function failure(file: string): Promise<{ code: number | null; log: string }> {
    const script = path.join(repository, 'test/support/kernel/stand-in-launcher.mjs');
    const { exit, log } = startProcess({ argv: ['node', script, file] }, file);
    const { code } = await exit;
    return { code, log: log() };
  }

  it('says why on stderr and ends with the exit code of bad input', async () => {
    const { file, remove } = await makeConnection({ connection: { transport: 'udp' as 'tcp' } });
    onTestFinished(remove);
    const { code, log } = await failure(file);
    expect(code).toBe(3);
    expect(log).toMatch(/"transport" is "udp"; it has to be tcp or ipc/);
    expect(log).toContain(`${file}, transport`);
    expect(log).not.toMatch(/KernelDied/);
  });

  it('names the address that it cannot listen on', async () => {
    const { code, log } = await failure((await start()).connectionFile);
    expect(code).toBe(3);
    expect(log).toMatch(/CONNECTION_FILE_ADDRESS[^]*tcp:\/\/127.0.0.1:\d+[^]*another program listens there/);
  });

  it('names an address that this machine does not have', async () => {
    const { file, remove } = await makeConnection({ connection: { ip: '192.0.2.1' } });
    onTestFinished(remove);
    const { code, log } = await failure(file);
    expect(code).toBe(3);
    expect(log).toMatch(/CONNECTION_FILE_ADDRESS[^]*this machine does not have the address/);
  });
});
