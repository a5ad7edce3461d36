import { formatColumn } from '../display/numbers.js';
import type { ProgressView } from '../display/progress.js';
import { errorLine } from '../errors.js';
import type { Phase, PlannedRun, StudyEvent } from './study.js';
import { createTimeLeft } from './time-left.js';

const PHASES: Readonly<Record<Phase, string>> = {
  prepare: 'reading data',
  features: 'computing features',
  train: 'training',
  validate: 'validating',
  evaluate: 'evaluating',
};

/** A run at work and its step in words, for one that wants more than the one line. */
export interface FollowedRun {
  readonly id: string;
  /** After its dataset where the study has several. */
  readonly arm: string;
  readonly seed: number | null;
  /** e.g. `training`. */
  readonly step: string;
  /** e.g. `epoch 2 of 6, loss 0.512`, or empty. */
  readonly detail: string;
  /** Share of the run that is done, 0 … 1. */
  readonly share: number;
}

export interface FollowOptions {
  /** Notices and failures; default: nowhere. */
  readonly say?: (text: string) => void;
  /** When a run starts and at each of its steps. */
  readonly onRun?: (run: FollowedRun) => void;
  /** When a run has finished or failed. */
  readonly onRunEnd?: (id: string) => void;
  /** Milliseconds of a steady clock; default performance.now. */
  readonly now?: () => number;
}

/**
 * Turns the events of a study into the states of one progress bar:
 * `study.run({ onEvent: followStudy(display.progress()) })`. The bar ends with the last run.
 */
export function followStudy(view: ProgressView, options: FollowOptions = {}): (event: StudyEvent) => void {
  const { say = () => undefined, onRun = () => undefined, onRunEnd = () => undefined } = options;
  const timeLeft = createTimeLeft(options.now ?? (() => performance.now()));
  const running = new Map<string, { readonly run: PlannedRun; share: number }>();
  /** Named where the plan has several. */
  let hasDatasets = false;
  let total = 0;
  let finished = 0;
  /** The same without trivial predictors, which take no time. */
  let work = 0;
  let done = 0;

  const armOf = ({ arm, definition }: Pick<PlannedRun, 'arm' | 'definition'>): string =>
    hasDatasets ? `${definition.dataset}, ${arm}` : arm;
  const nameOf = (run: Pick<PlannedRun, 'arm' | 'definition'>): string =>
    run.definition.seed === null ? armOf(run) : `${armOf(run)}, seed ${run.definition.seed}`;
  const update = (text: string): void => {
    const shares = [...running.values()].reduce((sum, { share }) => sum + share, 0);
    view.update(work === 0 ? 0 : (done + shares) / work, text, timeLeft.seconds());
  };
  const end = ({ id, definition }: Pick<PlannedRun, 'id' | 'definition'>, text: string): void => {
    running.delete(id);
    finished++;
    if (isWork(definition)) done++;
    onRunEnd(id);
    if (finished >= total) view.finish();
    else update(text);
  };

  return (event) => {
    timeLeft.onEvent(event);
    switch (event.type) {
      case 'notice':
        say(`notice: ${event.text}`);
        break;
      case 'plan':
        ({ total, finished } = event);
        hasDatasets = new Set(event.missing?.map(({ definition }) => definition.dataset)).size > 1;
        done = finished;
        work = event.missing
          ? finished +
            event.missing.filter(({ definition }) => isWork(definition)).length +
            (event.toCome ?? 0)
          : total;
        if (finished > 0) say(`${finished} of ${total} runs are finished already and kept.`);
        if (finished >= total) view.finish();
        else update('starting the engine');
        break;
      case 'run-started': {
        const { id, definition } = event.run;
        running.set(id, { run: event.run, share: 0 });
        onRun({
          id,
          arm: armOf(event.run),
          seed: definition.seed,
          step: PHASES.prepare,
          detail: '',
          share: 0,
        });
        update(`${nameOf(event.run)}, ${PHASES.prepare}`);
        break;
      }
      case 'step': {
        const followed = running.get(event.run);
        if (!followed) break; // a late word of a run that has ended
        followed.share = isWork(followed.run.definition) ? event.share : 0;
        const { id, definition } = followed.run;
        const [step, detail] = stepText(event);
        onRun({ id, arm: armOf(followed.run), seed: definition.seed, step, detail, share: event.share });
        update([nameOf(followed.run), step, detail].filter(Boolean).join(', '));
        break;
      }
      case 'run-finished':
        end(event.record, `${nameOf(event.record)} finished`);
        break;
      case 'run-failed': {
        const name = nameOf(event.run);
        say(`failed: ${name}: ${errorLine(event.error)}`);
        end(event.run, `${name} failed`);
        break;
      }
    }
  };
}

/** Errors and losses in the target's unit can be of any size. */
const scoreText = (value: number): string => formatColumn([value])[0]!;

const isWork = ({ encoder }: PlannedRun['definition']): boolean => encoder !== 'none';

function stepText(event: StudyEvent & { type: 'step' }): [step: string, detail: string] {
  const { phase, note, epoch, epochs, loss, score, metric = 'score' } = event;
  const parts: string[] = [];
  if (epoch !== undefined) parts.push(`epoch ${epoch}${epochs === undefined ? '' : ` of ${epochs}`}`);
  if (loss !== undefined) parts.push(`loss ${scoreText(loss)}`);
  if (score !== undefined) parts.push(`validation ${metric} ${scoreText(score)}`);
  return [note ?? PHASES[phase], parts.join(', ')];
}
