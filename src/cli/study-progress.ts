import { MultiBar, type SingleBar } from 'cli-progress';
import { plainText } from '../display/mime.js';
import { formatSeconds } from '../display/numbers.js';
import { createProgress, streamTarget, type ProgressTarget } from '../display/progress.js';
import { followStudy } from '../studies/follow-study.js';
import type { StudyEvent } from '../studies/study.js';

/** Follows the events of a study on stderr. */
export interface StudyProgress {
  readonly onEvent: (event: StudyEvent) => void;
  /** Takes the bars away; called at the end, also after a failure. */
  stop(): void;
}

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
  const view = createProgress(bars?.target ?? streamTarget(stream), { title, now });
  const onEvent = followStudy(view, {
    say: (text) => (bars ? bars.log(text) : void stream.write(`${text}\n`)),
    onStep: ({ run, step, share }) => bars?.step(share, `${run}: ${step}`),
  });
  return { onEvent, stop: () => bars?.stop() };
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
  const room = (): number => Math.max(20, (stream.columns || 100) - 34);
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
