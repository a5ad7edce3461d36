import type { ProgressView } from '../display/progress.js';
import type { Phase, StudyEvent } from './study.js';

const PHASES: Readonly<Record<Phase, string>> = {
  prepare: 'preparing data',
  features: 'computing features',
  train: 'training',
  validate: 'validating',
  evaluate: 'evaluating',
};

/** A run and its step in words, for one that wants more than the one line. */
export interface FollowedStep {
  readonly run: string;
  readonly step: string;
  /** Share of the run that is done, 0 … 1. */
  readonly share: number;
}

export interface FollowOptions {
  /** Notices and failures; default: nowhere. */
  readonly say?: (text: string) => void;
  readonly onStep?: (step: FollowedStep) => void;
}

/**
 * Turns the events of a study into the states of one progress bar:
 * `study.run({ onEvent: followStudy(display.progress()) })`. The bar ends with the last run.
 */
export function followStudy(view: ProgressView, options: FollowOptions = {}): (event: StudyEvent) => void {
  const { say = () => undefined, onStep = () => undefined } = options;
  const shares = new Map<string, number>();
  const names = new Map<string, string>();
  let total = 0;
  let finished = 0;

  const update = (text: string): void => {
    const running = [...shares.values()].reduce((sum, share) => sum + share, 0);
    view.update(total === 0 ? 0 : (finished + running) / total, text);
  };
  const end = (run: string, text: string): void => {
    shares.delete(run);
    finished++;
    update(text);
    if (finished === total) view.finish();
  };

  return (event) => {
    switch (event.type) {
      case 'notice':
        say(`notice: ${event.text}`);
        break;
      case 'plan':
        ({ total, finished } = event);
        if (finished > 0) say(`${finished} of ${total} runs are finished already and kept.`);
        update('');
        if (finished === total) view.finish();
        break;
      case 'run-started':
        shares.set(event.run.id, 0);
        names.set(event.run.id, nameOf(event.run.arm, event.run.definition.seed));
        update(names.get(event.run.id)!);
        break;
      case 'step': {
        shares.set(event.run, event.share);
        const run = names.get(event.run) ?? '';
        const step = stepText(event);
        onStep({ run, step, share: event.share });
        update(run ? `${run}, ${step}` : step);
        break;
      }
      case 'run-finished':
        end(event.record.id, `${nameOf(event.record.arm, event.record.definition.seed)} finished`);
        break;
      case 'run-failed': {
        const name = nameOf(event.run.arm, event.run.definition.seed);
        say(`failed: ${name}: ${event.error.code}: ${event.error.message}`);
        end(event.run.id, `${name} failed`);
        break;
      }
    }
  };
}

const nameOf = (arm: string, seed: number | null): string => (seed === null ? arm : `${arm}, seed ${seed}`);

function stepText({ phase, note, epoch, epochs, loss, score }: StudyEvent & { type: 'step' }): string {
  const parts = [note ?? PHASES[phase]];
  if (epoch !== undefined) parts.push(`epoch ${epoch}${epochs === undefined ? '' : ` of ${epochs}`}`);
  if (loss !== undefined) parts.push(`loss ${loss.toFixed(3)}`);
  if (score !== undefined) parts.push(`mIoU ${score.toFixed(3)}`);
  return parts.join(', ');
}
