import { escapeHtml, HTML, plainText, TEXT, type MimeBundle } from './mime.js';
import { formatSeconds } from './numbers.js';

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
  /** The last moment before the share began to grow. */
  let first: { share: number; at: number } | undefined;
  let told: number | null | undefined;
  let drawnAt = -Infinity;
  let drawings = 0;
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
      // the gap grows once half the drawings are used, so that the rest lasts
      const crowding = Math.max(1, 2 ** ((8 * drawings) / target.maximumDrawings - 4));
      if (drawings >= target.maximumDrawings || now() - drawnAt < target.intervalMs * crowding) return;
      drawnAt = now();
      drawings++;
      target.draw(state());
    },
    finish(text) {
      if (isFinished) return;
      isFinished = true;
      last = { share: text === undefined ? 1 : last.share, text: text ?? 'done' };
      target.draw(state());
    },
  };
}

/** `frozen vs fine-tuned ━━━━━━╌╌╌╌  58 %, 3 min 05 s left: frozen, z-score, seed 1, epoch 4 of 6`. */
export function progressLine(state: ProgressState, width = 120): string {
  const filled = Math.round(state.share * 20);
  const share = `${String(Math.floor(state.share * 100 + 1e-9)).padStart(3)} %`;
  const bar = `${'━'.repeat(filled)}${'╌'.repeat(20 - filled)} ${share}`;
  const line =
    `${plainText(state.title)} ${bar}, ${timing(state)}${state.text && `: ${plainText(state.text)}`}`.trim();
  const characters = [...line];
  return characters.length <= width ? line : `${characters.slice(0, Math.max(1, width - 1)).join('')}…`;
}

function timing(state: ProgressState): string {
  if (state.isFinished) return `${formatSeconds(state.elapsedSeconds)} in all`;
  return state.secondsLeft === null ? 'time left not known yet' : `${formatSeconds(state.secondsLeft)} left`;
}

/** The same as HTML (a `progress` element) and text, for a notebook. */
export function progressBundle(state: ProgressState): MimeBundle {
  const percent = Math.floor(state.share * 100 + 1e-9);
  const title = state.title && `<strong>${escapeHtml(state.title)}</strong> `;
  const html =
    `<div>${title}<progress value="${percent}" max="100">${percent} %</progress> ` +
    `${percent} %, ${timing(state)}${state.text && `: ${escapeHtml(state.text)}`}</div>`;
  return { [TEXT]: progressLine(state), [HTML]: html };
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
      const line = progressLine(state, (stream.columns ?? 100) - 1);
      stream.write(`\r\u001b[2K${line}${state.isFinished ? '\n' : ''}`);
    },
  };
}
