import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createNotices } from '../../../src/cli/notices.js';
import type { CellEvent } from '../../../src/cli/notebook/execute.js';
import { followCells } from '../../../src/cli/notebook/follow-cells.js';
import { newCodeCell } from '../../../src/cli/notebook/format.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function stream(isTTY: boolean) {
  let text = '';
  const stderr = { isTTY, columns: 40, write: (part: string) => void (text += part) };
  return { stderr: stderr as unknown as NodeJS.WriteStream, text: () => text };
}

const event = (kind: 'start' | 'end', failed = false): CellEvent => ({
  kind,
  number: 2,
  total: 7,
  cell: newCodeCell('// a first line that is longer than the terminal is wide\nrun()', 'a'),
  seconds: 4.2,
  failed,
});

describe('the progress of a notebook', () => {
  it('is a line for each cell that ended in a log, and one a minute for a long one', () => {
    const { stderr, text } = stream(false);
    const follower = followCells({ stderr, notices: createNotices(stderr) });
    follower.onCell(event('start'));
    expect(text()).toBe('');
    vi.advanceTimersByTime(61_000);
    expect(text()).toBe('cell 2 of 7: at work for 1 min 00 s\n');
    follower.onCell(event('end'));
    follower.onCell(event('start'));
    follower.onCell(event('end', true));
    follower.stop();
    vi.advanceTimersByTime(200_000);
    expect(text().split('\n').slice(1)).toEqual([
      'cell 2 of 7: 4.2 s',
      'cell 2 of 7: failed after 4.2 s',
      '',
    ]);
  });

  it('is one line of a terminal that is drawn over and taken away, no wider than the terminal', () => {
    const { stderr, text } = stream(true);
    const follower = followCells({ stderr, notices: createNotices(stderr) });
    follower.onCell(event('start'));
    vi.advanceTimersByTime(2000);
    const lines = text().split('\r\u001b[2K').filter(Boolean);
    expect(lines.map((line) => line.slice(0, 19))).toEqual([
      'cell 2 of 7, 0.0 s:',
      'cell 2 of 7, 1.0 s:',
      'cell 2 of 7, 2.0 s:',
    ]);
    for (const line of lines) expect(line.length).toBeLessThan(40);
    follower.onCell(event('end'));
    follower.stop();
    expect(text().endsWith('\r\u001b[2K')).toBe(true);
    expect(text()).not.toContain('\n');
  });

  it('lets other lines come in between, and gives them back', () => {
    const { stderr, text } = stream(true);
    const notices = createNotices(stderr);
    const follower = followCells({ stderr, notices });
    follower.onCell(event('start'));
    notices.say('Stopping');
    expect(text()).toMatch(/\r\u001b\[2KStopping\n$/);
    follower.stop();
    notices.say('after');
    expect(text()).toMatch(/after\n$/);
  });
});
