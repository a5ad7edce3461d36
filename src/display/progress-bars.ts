import { clearTimeout, setTimeout } from 'node:timers';
import { activeSink } from './active-sink.js';
import { kernelLink } from './kernel-link.js';
import { HTML, TEXT, type MimeBundle } from './mime.js';
import {
  createPace,
  createProgress,
  progressHtml,
  progressLine,
  type ProgressOptions,
  type ProgressState,
  type ProgressTarget,
  type ProgressView,
  type TextStream,
} from './progress.js';
import { terminalSink, type DisplaySink } from './sink.js';

/** A bar as it is drawn among others. */
export interface BarState extends ProgressState {
  /** How many bars it stands inside of. */
  readonly level: number;
}

/** Where bars that run at the same time are drawn, one below the other. */
export interface BarSurface extends Pick<ProgressTarget, 'intervalMs' | 'maximumDrawings'> {
  /** @param isLast no bar of these goes on */
  draw(states: readonly BarState[], isLast: boolean): void;
}

/** One bar's line. It is drawn from its state whenever the surface may be drawn on. */
export interface BarLine {
  changed(): void;
  /** Takes it out, or leaves its last state where it is kept. */
  end(): void;
}

interface Line {
  readonly level: number;
  readonly keep: boolean;
  readonly state: () => ProgressState;
  isOver: boolean;
}

/**
 * Bars that run at the same time share one place: one that begins while others go on is inside them, is drawn below,
 * and goes when it ends, if it is not to be kept. The place is left when the last of them has ended.
 */
export class BarGroup {
  #lines: Line[] = [];
  #timer: NodeJS.Timeout | undefined;
  readonly #pace;

  constructor(
    private readonly surface: BarSurface,
    now: () => number,
  ) {
    this.#pace = createPace(surface, now);
  }

  get isOpen(): boolean {
    return this.#lines.some(({ isOver }) => !isOver);
  }

  add(state: () => ProgressState, keep?: boolean): BarLine {
    const level = this.#lines.filter(({ isOver }) => !isOver).length;
    const line: Line = { level, keep: keep ?? level === 0, state, isOver: false };
    this.#lines.push(line);
    this.#drawIfDue();
    return {
      changed: () => this.#drawIfDue(),
      end: () => {
        if (line.isOver) return;
        line.isOver = true;
        if (!line.keep) this.#lines = this.#lines.filter((other) => other !== line);
        if (this.isOpen) this.#drawIfDue();
        else this.#draw(true);
      },
    };
  }

  #drawIfDue(): void {
    if (this.#pace.isDue()) return this.#draw(false);
    const wait = this.#pace.wait();
    if (this.#timer || wait === Infinity) return;
    // what changed last is drawn even if nothing follows; Node's own timer, which a stopped cell does not clear
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.isOpen) this.#drawIfDue();
    }, wait);
    this.#timer.unref();
  }

  #draw(isLast: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.surface.draw(
      this.#lines.map(({ level, state }) => ({ ...state(), level })),
      isLast,
    );
  }
}

let current: { readonly group: BarGroup; readonly sink: DisplaySink; readonly cell: object } | undefined;

/**
 * A line among the bars that run now in this cell, or the first one of a new place. Bars that an earlier cell left
 * unfinished are not joined.
 */
export function openBar(
  state: () => ProgressState,
  { keep, now = () => performance.now() }: ProgressOptions = {},
): BarLine {
  const { sink, cell } = activeSink();
  if (!current?.group.isOpen || current.sink !== sink || current.cell !== cell) {
    const surface = sink === terminalSink ? streamSurface(process.stderr) : sinkSurface(sink);
    current = { group: new BarGroup(surface, now), sink, cell };
  }
  return current.group.add(state, keep);
}

/** A bar of shares among the others; it takes its place when it is first drawn. */
export function openProgressView(options: ProgressOptions): ProgressView {
  let line: BarLine | undefined;
  let last: ProgressState;
  const signal = kernelLink()?.signal;
  const onAbort = (): void => view.finish('stopped');
  const view = createProgress(
    {
      intervalMs: 0, // its place has a pace of its own
      maximumDrawings: Infinity,
      draw(state) {
        last = state;
        if (line && !state.isFinished) line.changed();
        line ??= openBar(() => last, options);
        if (!state.isFinished) return;
        signal?.removeEventListener('abort', onAbort);
        line.end();
      },
    },
    options,
  );
  signal?.addEventListener('abort', onAbort);
  return view;
}

const sinkSurface = (sink: DisplaySink): BarSurface => {
  let output: { update(bundle: MimeBundle): void } | undefined;
  return {
    intervalMs: sink.progressIntervalMs ?? 100,
    maximumDrawings: sink.maximumProgressDrawings ?? Infinity,
    draw(states) {
      if (output) output.update(barsBundle(states));
      else output = sink.open(barsBundle(states));
    },
  };
};

const barsBundle = (states: readonly BarState[]): MimeBundle => ({
  [TEXT]: barLines(states, 120).join('\n'),
  [HTML]: `<div>${states.map((state) => progressHtml(state, state.level)).join('')}</div>`,
});

const barLines = (states: readonly BarState[], width: number): string[] =>
  states.map((state) => `${'  '.repeat(state.level)}${progressLine(state, width - 2 * state.level)}`);

/** A line a bar, drawn over in a terminal; elsewhere (a log, a pipe) new lines from time to time. */
export function streamSurface(stream: TextStream & { readonly rows?: number }): BarSurface {
  if (!stream.isTTY) {
    return {
      intervalMs: 10_000,
      maximumDrawings: 400,
      draw: (states) => void stream.write(`${barLines(states, 200).join('\n')}\n`),
    };
  }
  let drawn = 0;
  return {
    intervalMs: 100,
    maximumDrawings: Infinity,
    draw(states, isLast) {
      // one column is left free: a full last column wraps in some terminals; what is above the window stays there
      const lines = barLines(states, (stream.columns || 100) - 1).slice(0, (stream.rows || 24) - 1);
      const back = drawn > 1 ? `\u001b[${drawn - 1}A` : '';
      stream.write(`\r${back}\u001b[J${lines.join('\n')}${isLast ? '\n' : ''}`);
      drawn = isLast ? 0 : lines.length;
    },
  };
}
