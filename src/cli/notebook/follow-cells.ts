import { formatSeconds } from '../../display/numbers.js';
import { plainText } from '../../display/mime.js';
import type { CommandContext } from '../command.js';
import type { CellEvent } from './execute.js';

/** Tells on stderr which cell runs. */
export interface CellFollower {
  readonly onCell: (event: CellEvent) => void;
  /** Takes the open line away; called at the end, also after a failure. */
  stop(): void;
}

/** A cell that takes longer is told of while it runs, also in a log. */
const LONG_MS = 60_000;

/** In a terminal one line that is drawn over; elsewhere (a log, a pipe) a line for each cell that ended. */
export function followCells({ stderr, notices }: Pick<CommandContext, 'stderr' | 'notices'>): CellFollower {
  let open: (() => void) | undefined;
  const clear = (): void => void (stderr.isTTY && stderr.write('\r\u001b[2K'));
  const giveBack = notices.takeOver((text) => {
    clear();
    stderr.write(`${text}\n`);
  });
  const close = (): void => {
    open?.();
    open = undefined;
    clear();
  };
  return {
    onCell({ kind, number, total, cell, seconds, failed }) {
      close();
      const place = `cell ${number} of ${total}`;
      if (kind === 'end') {
        if (!stderr.isTTY || failed)
          stderr.write(`${place}: ${failed ? 'failed after ' : ''}${formatSeconds(seconds)}\n`);
        return;
      }
      const startedAt = performance.now();
      const draw = (): void => {
        const elapsed = formatSeconds((performance.now() - startedAt) / 1000);
        if (!stderr.isTTY) return void stderr.write(`${place}: at work for ${elapsed}\n`);
        const line = `${place}, ${elapsed}: ${plainText(firstLine(cell.source))}`;
        const width = (stderr.columns ?? 100) - 1;
        clear();
        stderr.write(line.length <= width ? line : `${line.slice(0, width - 1)}…`);
      };
      if (stderr.isTTY) draw();
      const timer = setInterval(draw, stderr.isTTY ? 1000 : LONG_MS).unref();
      open = () => clearInterval(timer);
    },
    stop() {
      close();
      giveBack();
    },
  };
}

const firstLine = (source: string): string => source.trim().split('\n', 1)[0]!;
