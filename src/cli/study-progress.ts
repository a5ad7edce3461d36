import { formatSeconds } from '../display/numbers.js';
import { createProgress, streamTarget, type ProgressState } from '../display/progress.js';
import { followStudy } from '../studies/follow-study.js';
import type { StudyEvent } from '../studies/study.js';
import type { CommandContext } from './command.js';
import { createRunBars, type RunBars } from './run-bars.js';

/** Follows the events of a study on stderr. */
export interface StudyProgress {
  readonly onEvent: (event: StudyEvent) => void;
  /** Takes the bars away; called at the end, also after a failure. */
  stop(): void;
}

/**
 * In a terminal a bar for the study with its time left and one for each run at work; elsewhere (a log, a pipe) a
 * line every 10 s at most. Notices and failures are told at once, above the bars.
 * @param now milliseconds of a steady clock
 */
export function createStudyProgress(
  { stderr, notices }: Pick<CommandContext, 'stderr' | 'notices'>,
  title: string,
  now: () => number = () => performance.now(),
): StudyProgress {
  const bars = stderr.isTTY ? createRunBars(stderr, title) : undefined;
  const say = (text: string): void => (bars ? bars.log(text) : void stderr.write(`${text}\n`));
  const giveBack = notices.takeOver(say);
  const target = bars ? studyTarget(bars) : streamTarget(stderr);
  const view = createProgress(target, { title, now });
  const onEvent = followStudy(view, {
    say,
    now,
    ...(bars && { onRun: (run) => bars.run(run), onRunEnd: (id) => bars.end(id) }),
  });
  return {
    onEvent,
    stop() {
      bars?.stop();
      giveBack();
    },
  };
}

const studyTarget = (bars: RunBars) => ({
  intervalMs: 100,
  maximumDrawings: Infinity,
  draw(state: ProgressState) {
    if (state.secondsLeft !== null) bars.study(state.share, `${formatSeconds(state.secondsLeft)} left`);
    else bars.study(state.share, bars.count > 0 ? 'time left not known yet' : state.text);
  },
});
