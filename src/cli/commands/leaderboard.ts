import { TEXT } from '../../display/mime.js';
import { sheetBundle } from '../../display/sheet.js';
import { UsageError } from '../../errors.js';
import { leaderboardSheet } from '../../published/leaderboard/leaderboard-sheet.js';
import { leaderboard, type LeaderboardOptions } from '../../published/leaderboard/leaderboard.js';
import { readRunSources } from '../../published/leaderboard/read-runs.js';
import { textOption, type Command, type Options } from '../command.js';

const RELEASED = ['paper', 'full', 'multimodal', 'frozen', 'none'] as const;

/**
 * `gondwana leaderboard [STORE…] [--capability C] [--html FILE] [--released SET] [--check]`: released runs of GEO-Bench-2 and
 * a user's own, ranked. With `--check` the exit code is 1 where a source lacks something.
 * @throws UsageError OPTION_VALUE; what `readRunSources` throws; InputError NOT_A_FILE
 */
export const leaderboardCommand: Command = async (_context, paths, options) => {
  const sources = readRunSources(paths);
  const capability = textOption(options, 'capability');
  const board = leaderboard({
    sources,
    released: releasedOption(options),
    ...(capability !== undefined && { capability }),
  });
  const html = textOption(options, 'html');
  if (html !== undefined) {
    const { writeLeaderboard } = await import('../../report/leaderboard/write-leaderboard.js');
    await writeLeaderboard(board, html);
  }
  const isComplete = board.checks.every((check) => check.isComplete);
  const [asked] = board.rankings;
  const { runs: _runs, ...document } = board;
  return {
    document: {
      ...document,
      datasets: asked!.datasets,
      rows: asked!.rows,
      ...(html !== undefined && { html }),
    },
    text: [String(sheetBundle(leaderboardSheet(board))[TEXT]), ...(html === undefined ? [] : [html])].join(
      '\n\n',
    ),
    exitCode: options.check === true && !isComplete ? 1 : 0,
  };
};

function releasedOption(options: Options): NonNullable<LeaderboardOptions['released']> {
  const asked = textOption(options, 'released') ?? 'paper';
  const found = RELEASED.find((name) => name === asked);
  if (found) return found;
  throw new UsageError('OPTION_VALUE', `There are no released runs "${asked}".`, {
    where: '--released',
    hint: `Known: ${RELEASED.join(', ')}.`,
  });
}
