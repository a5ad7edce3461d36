import { MultiBar, type SingleBar } from 'cli-progress';
import { plainText } from '../display/mime.js';
import type { FollowedRun } from '../studies/follow-study.js';

/** Bars of a study in a terminal. */
export interface RunBars {
  /** Runs that have a bar. */
  readonly count: number;
  study(share: number, text: string): void;
  run(run: FollowedRun): void;
  end(id: string): void;
  /** A line above the bars. */
  log(text: string): void;
  /** Takes all bars away and shows the cursor again. */
  stop(): void;
}

/** Columns beside the text: the bar, a blank, the share, two blanks, and one left free at the end. */
const FRAME = 16 + 1 + 5 + 2 + 1;

/** The study's bar, and below it one for each run at work. */
export function createRunBars(stream: NodeJS.WriteStream, title: string): RunBars {
  const bars = new MultiBar(
    {
      stream,
      format: '{bar} {share}  {text}',
      barCompleteChar: '━',
      barIncompleteChar: '╌',
      barsize: 16,
      autopadding: true,
      hideCursor: true,
      clearOnComplete: true,
      // lines move when a bar goes or a text is logged, and what a key press echoes is drawn over
      forceRedraw: true,
      // cli-progress would end the process at Ctrl-C before the runs are put away
      gracefulExit: false,
    },
    {} as never,
  );
  const width = (): number => Math.max(20, (stream.columns || 80) - FRAME);
  const draw = (bar: SingleBar, share: number, text: string): void =>
    bar.update(share, { share: percent(share), text });
  const create = (text: string): SingleBar => bars.create(1, 0, { share: percent(0), text });

  const study = create(cut(title, width()));
  const runs = new Map<string, SingleBar>();
  let isStopped = false;
  const stop = (): void => {
    if (isStopped) return;
    isStopped = true;
    process.off('exit', stop);
    bars.update(); // writes what was logged since the last drawing
    bars.stop();
  };
  process.once('exit', stop); // a second Ctrl-C ends the process from outside: the cursor comes back

  return {
    get count() {
      return runs.size;
    },
    study: (share, text) => draw(study, share, fit(plainText(title), `: ${plainText(text)}`, width())),
    run(run) {
      if (isStopped) return;
      const text = runText(run, width());
      const known = runs.get(run.id);
      if (known) return draw(known, run.share, text);
      // bars that do not fit into the window could not be drawn over
      if (runs.size < (stream.rows || 24) - 3) runs.set(run.id, create(text));
    },
    end(id) {
      const bar = runs.get(id);
      runs.delete(id);
      if (bar && !isStopped) bars.remove(bar);
    },
    log(text) {
      if (isStopped) stream.write(`${plainText(text)}\n`);
      else bars.log(`${plainText(text)}\n`);
    },
    stop,
  };
}

const percent = (share: number): string => `${String(Math.floor(share * 100 + 1e-9)).padStart(3)} %`;

/** `fine-tuned, z-score, seed 0: epoch 2 of 6, loss 0.512`: where room is short, the arm's name is cut. */
export function runText({ arm, seed, step, detail }: FollowedRun, width: number): string {
  const what = detail === '' ? step : detail;
  return fit(plainText(arm), `${seed === null ? '' : `, seed ${seed}`}: ${plainText(what)}`, width);
}

const fit = (name: string, rest: string, width: number): string =>
  cut(`${cut(name, Math.max(4, width - [...rest].length))}${rest}`, width);

function cut(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, Math.max(0, width - 1)).join('')}…`;
}
