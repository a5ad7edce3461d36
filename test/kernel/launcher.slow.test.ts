import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KernelClient } from '../support/kernel/client.js';
import { repository } from '../support/kernel/process.js';
import { endsWithin } from '../support/kernel/processes.js';
import { startStandIn, type StandInOptions } from '../support/kernel/stand-in.js';

async function start(options: StandInOptions = {}): Promise<KernelClient> {
  const kernel = await startStandIn({ ...options, launcher: true });
  onTestFinished(() => kernel.stop());
  return kernel;
}

describe('a kernel that dies', () => {
  it.each([
    ['killed by the system', 'process.kill(process.pid, "SIGKILL"); await sleep(5000)', 137, /SIGKILL/],
    ['of a full heap or an abort', 'process.abort()', 134, /SIGABRT/],
    ['of a crash in native code', 'process.kill(process.pid, "SIGSEGV"); await sleep(5000)', 139, /SIGSEGV/],
    ['by process.exit', 'print("last words"); process.exit(7)', 7, /exit code 7: a cell called process.exit/],
    ['by process.exit(0)', 'process.exit(0)', 1, /exit code 0/],
  ])('%s tells the cell at work why, and Jupyter to start another', async (_, code, exitCode, why) => {
    const kernel = await start();
    const { id, done } = kernel.submit(`await sleep(150); ${code}`);
    const waiting = kernel.submit('return 1');
    const cell = await done;
    expect(cell.error?.ename).toBe('KernelDied');
    expect(cell.error?.evalue).toMatch(why);
    expect(cell.error?.evalue).toMatch(/variables are lost; Jupyter starts a new one/);
    expect(cell.error?.traceback.join('\n')).toMatch(/To do: /);
    expect(cell.reply).toMatchObject({ status: 'error', ename: 'KernelDied' });
    expect(cell.messages.at(-1)!.content).toEqual({ execution_state: 'idle' });
    if (code.includes('last words')) expect(cell.stdout).toBe('last words');
    expect((await waiting.done).reply).toEqual({ status: 'aborted' });
    expect(await kernel.exit).toEqual({ code: exitCode, signal: null });
    expect(kernel.log).toMatch(/KernelDied/);
    expect(id).toBe(cell.id);
  });

  it('tells so over ipc and encrypted too', async () => {
    const kernel = await start({ transport: 'ipc', curve: true });
    const cell = await kernel.execute('process.kill(process.pid, "SIGKILL"); await sleep(5000)');
    expect(cell.error?.ename).toBe('KernelDied');
    expect(cell.error?.evalue).toMatch(/it held \d+ MB of memory/);
  });

  it('between two cells ends the launcher with its signal, told on stderr', async () => {
    const kernel = await start();
    const { result } = await kernel.execute('return process.pid');
    process.kill(Number(result), 'SIGKILL');
    expect(await kernel.exit).toEqual({ code: 137, signal: null });
    expect(kernel.log).toMatch(/KernelDied: .*SIGKILL/);
  });
});

describe('the launcher', () => {
  it('ends with 0 after a shutdown, and ends what cells left behind', async () => {
    const kernel = await start();
    const { result } = await kernel.execute(
      'return (await load("node:child_process")).spawn("sleep", ["60"], { stdio: "ignore" }).pid',
    );
    expect(await kernel.shutdown()).toBeLessThan(1000);
    expect(await kernel.exit).toEqual({ code: 0, signal: null });
    expect(kernel.log).toBe('');
    expect(await endsWithin(1000, Number(result))).toBe(true);
  });

  it('passes SIGTERM on and takes no notice of SIGINT', async () => {
    const kernel = await start();
    kernel.kill('SIGINT');
    const { result } = await kernel.execute('return process.pid');
    kernel.kill('SIGTERM');
    expect(await kernel.exit).toEqual({ code: 143, signal: null });
    expect(await endsWithin(1000, Number(result))).toBe(true);
  });

  it('gives the kernel a heap as large as the memory limit, and hides its line from children', async () => {
    const kernel = await start({ env: { GONDWANA_MEMORY_LIMIT_MB: '3000' } });
    const { result } = await kernel.execute(
      'return [process.execArgv.join(" "), Object.keys(process.env).filter((name) => name === "GONDWANA_KERNEL_LAUNCHER").length]',
    );
    expect(result).toBe("[ '--no-force-async-hooks-checks --max-old-space-size=3000', 0 ]");
  });

  it('that is killed leaves its addresses to the next kernel at once, as a restart needs them', async () => {
    const first = await start();
    first.kill('SIGKILL');
    const second = await start({ connection: first.connection });
    const { result } = await second.execute('return process.ppid');
    expect(result).toBe(String(second.pid));
  });

  it('passes on why the kernel does not start, with its exit code', () => {
    const script = path.join(repository, 'test/support/kernel/stand-in-launcher.mjs');
    const { status, stderr } = spawnSync(process.execPath, [script, '/nowhere/kernel.json'], {
      encoding: 'utf8',
    });
    expect(status).toBe(3);
    expect(stderr).toMatch(/There is no connection file of this name/);
    expect(stderr).not.toMatch(/KernelDied/);
  });

  it('loads nothing but what it needs to start the kernel', () => {
    const script = `
      const before = new Set(process.moduleLoadList);
      await import(${JSON.stringify(path.join(repository, 'dist/kernel/launcher.js'))});
      console.log(process.moduleLoadList.filter((name) => !before.has(name)).join('\\n'));`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/child_process/);
    expect(stdout).not.toMatch(/worker|inspector|crypto|http/);
  });
});

describe('the kernelspec', () => {
  it('names no path of a machine, and what the kernel can do', () => {
    const spec = JSON.parse(
      readFileSync(path.join(repository, 'kernels/gondwana/kernel.json'), 'utf8'),
    ) as Record<string, unknown>;
    expect(spec).toMatchObject({
      argv: ['node', '{resource_dir}/start.mjs', '{connection_file}'],
      display_name: 'Gondwana (TypeScript)',
      language: 'typescript',
      interrupt_mode: 'message',
      metadata: { supported_encryption: ['curve'] },
    });
  });
});
