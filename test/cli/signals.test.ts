import { afterEach, describe, expect, it, vi } from 'vitest';
import { watchSignals, type SignalWatch } from '../../src/cli/signals.js';

describe('watchSignals', () => {
  let watch: SignalWatch | undefined;
  afterEach(() => {
    watch?.stop();
    vi.restoreAllMocks();
  });

  it('asks to stop at the first signal, ignores its echo, and ends the process at a later one', () => {
    let now = 1000;
    const said: string[] = [];
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    watch = watchSignals(
      (text) => said.push(text),
      () => now,
    );

    process.emit('SIGINT');
    expect(watch.signal.aborted).toBe(true);
    now += 40; // npm hands the terminal's Ctrl-C on
    process.emit('SIGINT');
    expect(exit).not.toHaveBeenCalled();
    expect(said).toHaveLength(1);

    now += 2000;
    process.emit('SIGINT');
    expect(exit).toHaveBeenCalledWith(130);
  });

  it('ends the process at the deadline, whatever hangs, unless the command is through by then', async () => {
    const exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const through = watchSignals(
      () => undefined,
      () => 0,
      20,
    );
    process.emit('SIGTERM');
    through.stop();
    await new Promise((resolve) => setTimeout(resolve, 40));
    expect(exit).not.toHaveBeenCalled();

    watch = watchSignals(
      () => undefined,
      () => 0,
      20,
    );
    process.emit('SIGTERM');
    await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(130));
  });

  it('leaves no listener behind', () => {
    const before = process.listenerCount('SIGTERM');
    const other = watchSignals(() => undefined);
    expect(process.listenerCount('SIGTERM')).toBe(before + 1);
    other.stop();
    expect(process.listenerCount('SIGTERM')).toBe(before);
  });
});
