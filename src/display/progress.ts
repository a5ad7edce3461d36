import { escapeHtml, HTML, plainText, TEXT, type MimeBundle } from './mime.js';
import { formatCount, formatSeconds } from './numbers.js';

/** A bar that says how far a job is, how long it will take and what runs. */
export interface ProgressView {
  /**
   * @param share done, 0 … 1; what was finished before this job counts, but not for the time left
   * @param text what runs
   * @param secondsLeft where the caller knows better than the share tells; null: not known yet
   */
  update(share: number, text: string, secondsLeft?: number | null): void;
  /** The last state; further calls do nothing. */
  finish(text?: string): void;
}

export interface ProgressOptions {
  /** Stands before the bar. */
  readonly title?: string;
  /**
   * Whether the last state stays when the bar has ended while others go on; default true for an outermost bar, false
   * for one inside another.
   */
  readonly keep?: boolean;
  /** Milliseconds of a steady clock; default performance.now. */
  readonly now?: () => number;
}

/** What a view draws. */
export interface ProgressState {
  readonly title: string;
  readonly share: number;
  readonly text: string;
  readonly elapsedSeconds: number;
  /** null while it cannot be told. */
  readonly secondsLeft: number | null;
  readonly isFinished: boolean;
  /** Things done, where things are counted and not shares. */
  readonly count?: ProgressCount;
}

export interface ProgressCount {
  readonly done: number;
  /** null: not known. */
  readonly total: number | null;
  /** What is counted, in the plural, or empty. */
  readonly unit: string;
  /** null while it cannot be told. */
  readonly perSecond: number | null;
}

/** Where the states go: a terminal's line, a notebook's output. */
export interface ProgressTarget {
  /** Least milliseconds between two drawings; the last state is always drawn. */
  readonly intervalMs: number;
  /** Drawings at most, the last one not counted: each further one waits longer than the one before. */
  readonly maximumDrawings: number;
  draw(state: ProgressState): void;
}

/** Gained share of what there was to do, before a time is told from it. */
const LEAST_GAIN = 0.05;

/** Follows a job and hands its target no more drawings than it bears. */
export function createProgress(target: ProgressTarget, options: ProgressOptions = {}): ProgressView {
  const now = options.now ?? (() => performance.now());
  const title = options.title ?? '';
  const startedAt = now();
  const pace = createPace(target, now);
  /** The last moment before the share began to grow. */
  let first: { share: number; at: number } | undefined;
  let told: number | null | undefined;
  let last = { share: 0, text: '' };
  let isFinished = false;

  const estimate = (): number | null => {
    if (!first) return null;
    const gained = last.share - first.share;
    const spent = (now() - first.at) / 1000;
    if (gained < LEAST_GAIN * (1 - first.share) || spent <= 1) return null;
    return (spent * (1 - last.share)) / gained;
  };
  const state = (): ProgressState => {
    const elapsedSeconds = (now() - startedAt) / 1000;
    const secondsLeft = isFinished ? 0 : told === undefined ? estimate() : told;
    return { title, ...last, elapsedSeconds, secondsLeft, isFinished };
  };

  return {
    update(share, text, secondsLeft) {
      if (isFinished) return;
      last = { share: Math.min(1, Math.max(0, Number.isFinite(share) ? share : 0)), text };
      told = secondsLeft;
      if (!first || last.share <= first.share) first = { share: last.share, at: now() };
      if (pace.isDue()) target.draw(state());
    },
    finish(text) {
      if (isFinished) return;
      isFinished = true;
      last = { share: text === undefined ? 1 : last.share, text: text ?? 'done' };
      target.draw(state());
    },
  };
}

/** When a target may be drawn on again. */
export interface Pace {
  /** True where a drawing is due; it then counts as made. */
  isDue(): boolean;
  /** Milliseconds to the next drawing; Infinity where there will be none. */
  wait(): number;
}

export function createPace(
  { intervalMs, maximumDrawings }: Pick<ProgressTarget, 'intervalMs' | 'maximumDrawings'>,
  now: () => number,
): Pace {
  let drawnAt = -Infinity;
  let drawings = 0;
  const wait = (): number => {
    if (drawings >= maximumDrawings) return Infinity;
    // the gap grows once half the drawings are used, so that the rest lasts
    const crowding = Math.max(1, 2 ** ((8 * drawings) / maximumDrawings - 4));
    return Math.max(0, drawnAt + intervalMs * crowding - now());
  };
  return {
    wait,
    isDue() {
      if (wait() > 0) return false;
      drawnAt = now();
      drawings++;
      return true;
    },
  };
}

const percentOf = (state: ProgressState): number => Math.floor(state.share * 100 + 1e-9);

/** `frozen vs fine-tuned ━━━━━━╌╌╌╌  58 %, 3 min 05 s left: frozen, z-score, seed 1, epoch 4 of 6`. */
export function progressLine(state: ProgressState, width = 120): string {
  const filled = Math.round(state.share * 20);
  const share = `${String(percentOf(state)).padStart(3)} %`;
  const bar = hasShare(state) ? `${'━'.repeat(filled)}${'╌'.repeat(20 - filled)} ${share}, ` : '';
  const line =
    `${plainText(state.title)} ${bar}${timing(state)}${state.text && `: ${plainText(state.text)}`}`.trim();
  const characters = [...line];
  return characters.length <= width ? line : `${characters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

/** Of things without a known total there is no share to draw. */
const hasShare = ({ count }: ProgressState): boolean => count?.total !== null;

/** `58 of 100 tiles, 12.3/s, 3.4 s left`. */
function timing(state: ProgressState): string {
  const { count, secondsLeft, elapsedSeconds, isFinished } = state;
  const parts: string[] = [];
  if (count) {
    const { done, total, unit, perSecond } = count;
    parts.push(`${formatCount(done)}${total === null ? '' : ` of ${formatCount(total)}`} ${unit}`.trim());
    if (perSecond !== null) parts.push(rate(perSecond));
  }
  if (isFinished) parts.push(`${formatSeconds(elapsedSeconds)} in all`);
  else if (count?.total === null) parts.push(`${formatSeconds(elapsedSeconds)} so far`);
  else if (secondsLeft !== null) parts.push(`${formatSeconds(secondsLeft)} left`);
  else if (!count) parts.push('time left not known yet');
  return parts.join(', ');
}

function rate(perSecond: number): string {
  if (perSecond > 0 && perSecond < 1) return `${formatSeconds(1 / perSecond)} each`;
  return `${perSecond >= 100 ? formatCount(Math.round(perSecond)) : perSecond.toFixed(1)}/s`;
}

/** The same as HTML (a `progress` element) and text, for a notebook. */
export const progressBundle = (state: ProgressState): MimeBundle => ({
  [TEXT]: progressLine(state),
  [HTML]: progressHtml(state),
});

/** @param level how many bars it stands inside of */
export function progressHtml(state: ProgressState, level = 0): string {
  const percent = percentOf(state);
  const title = state.title && `<strong>${escapeHtml(state.title)}</strong> `;
  const bar = hasShare(state)
    ? `<progress value="${percent}" max="100">${percent} %</progress> ${percent} %, `
    : '';
  const indent = level > 0 ? ` style="margin-left:${1.5 * level}em"` : '';
  return `<div${indent}>${title}${bar}${timing(state)}${state.text && `: ${escapeHtml(state.text)}`}</div>`;
}

/** The part of a writable stream that is used. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** One line that is drawn over in a terminal; elsewhere (a log, a pipe) a new line from time to time. */
export function streamTarget(stream: TextStream): ProgressTarget {
  if (!stream.isTTY) {
    return {
      intervalMs: 10_000,
      maximumDrawings: 400,
      draw: (state) => void stream.write(`${progressLine(state, 200)}\n`),
    };
  }
  return {
    intervalMs: 100,
    maximumDrawings: Infinity,
    draw(state) {
      // one column is left free: a full last column wraps in some terminals
      const line = progressLine(state, (stream.columns || 100) - 1);
      stream.write(`\r\u001b[2K${line}${state.isFinished ? '\n' : ''}`);
    },
  };
}
