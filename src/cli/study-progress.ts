import { MultiBar, type SingleBar } from 'cli-progress';
import { createProgress, streamTarget, type ProgressTarget, type TextStream } from '../display/progress.js';
import { formatSeconds } from '../display/numbers.js';
import { plainText } from '../display/mime.js';
import type { Phase, StudyEvent } from '../studies/study.js';

/** Follows the events of a study on stderr. */
export interface StudyProgress {
  onEvent(event: StudyEvent): void;
  /** Takes the bars away; called at the end, also after a failure. */
  stop(): void;
}

const PHASES: Readonly<Record<Phase, string>> = {
  prepare: 'preparing data',
  features: 'computing features',
  train: 'training',
  validate: 'validating',
  evaluate: 'evaluating',
};

/**
 * In a terminal two bars, the study with its time left and the run at work; elsewhere (a log, a pipe) a line
 * every 10 s at most. Notices and failures are told at once.
 * @param now milliseconds of a steady clock
 */
export function createStudyProgress(
  stream: NodeJS.WriteStream,
  title: string,
  now: () => number = () => performance.now(),
): StudyProgress {
  const bars = stream.isTTY ? createBars(stream) : undefined;
  const view = createProgress(bars?.target ?? streamTarget(stream as TextStream), { title, now });
  const shares = new Map<string, number>();
  const names = new Map<string, string>();
  let total = 0;
  let finished = 0;
  let stopped = false;

  const say = (text: string): void => {
    if (bars && !stopped) bars.log(text);
    else stream.write(`${text}\n`);
  };
  const update = (text: string): void => {
    const running = [...shares.values()].reduce((sum, share) => sum + share, 0);
    view.update(total === 0 ? 0 : (finished + running) / total, text);
  };
  const end = (run: string): void => {
    shares.delete(run);
    finished++;
  };

  return {
    onEvent(event) {
      switch (event.type) {
        case 'notice':
          say(`notice: ${event.text}`);
          break;
        case 'plan':
          ({ total, finished } = event);
          if (finished > 0) say(`${finished} of ${total} runs are finished already and kept.`);
          update('');
          break;
        case 'run-started':
          shares.set(event.run.id, 0);
          names.set(event.run.id, nameOf(event.run.arm, event.run.definition.seed));
          update(names.get(event.run.id)!);
          break;
        case 'step': {
          shares.set(event.run, event.share);
          const text = stepText(event);
          bars?.step(event.share, `${names.get(event.run) ?? ''}: ${text}`);
          update(`${names.get(event.run) ?? ''}, ${text}`);
          break;
        }
        case 'run-finished':
          end(event.record.id);
          update(`${nameOf(event.record.arm, event.record.definition.seed)} finished`);
          break;
        case 'run-failed':
          end(event.run.id);
          say(
            `failed: ${nameOf(event.run.arm, event.run.definition.seed)}: ${event.error.code}: ${event.error.message}`,
          );
          break;
      }
    },
    stop() {
      if (stopped) return;
      view.finish(`${finished} of ${total} runs finished`);
      stopped = true;
      bars?.stop();
    },
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

interface Bars {
  readonly target: ProgressTarget;
  step(share: number, text: string): void;
  log(text: string): void;
  stop(): void;
}

function createBars(stream: NodeJS.WriteStream): Bars {
  const bars = new MultiBar(
    {
      stream,
      format: '{bar} {share}  {text}',
      barCompleteChar: '━',
      barIncompleteChar: '╌',
      barsize: 24,
      autopadding: true,
      hideCursor: true,
      clearOnComplete: true,
      // cli-progress would end the process at Ctrl-C before the runs are put away
      gracefulExit: false,
    },
    {} as never,
  );
  const study = bars.create(1, 0, { text: '', share: '  0 %' });
  const run = bars.create(1, 0, { text: '', share: '  0 %' });
  const room = (): number => Math.max(20, (stream.columns ?? 100) - 34);
  const draw = (bar: SingleBar, share: number, text: string): void => {
    const line = plainText(text);
    const shown = line.length > room() ? `${line.slice(0, room() - 1)}…` : line;
    bar.update(share, { share: `${String(Math.floor(share * 100)).padStart(3)} %`, text: shown });
  };
  return {
    target: {
      intervalMs: 100,
      maximumDrawings: Infinity,
      draw(state) {
        const left =
          state.secondsLeft === null ? 'time left not known yet' : `${formatSeconds(state.secondsLeft)} left`;
        draw(study, state.share, `${state.title}: ${left}`);
      },
    },
    step: (share, text) => draw(run, share, text),
    log: (text) => bars.log(`${plainText(text)}\n`),
    stop() {
      bars.update(); // writes what was logged since the last drawing
      bars.stop();
    },
  };
}
