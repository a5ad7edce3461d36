import { stat } from 'node:fs/promises';
import { InputError } from '../../errors.js';
import { writeFileAtomic } from '../../io/atomic-file.js';
import type { Leaderboard } from '../../published/leaderboard/leaderboard.js';
import { leaderboardPage } from './leaderboard-page.js';

/**
 * Writes a leaderboard as one page that needs no network.
 * @throws InputError NOT_A_FILE; what `leaderboardPage` and writing throw
 */
export async function writeLeaderboard(board: Leaderboard, file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined); // missing, or told when it is written
  if (file.trim() === '' || /[/\\]$/.test(file) || found?.isDirectory()) {
    throw new InputError('NOT_A_FILE', 'The page needs a file, and this names a folder.', {
      where: file,
      hint: 'Name a file, e.g. leaderboard.html.',
    });
  }
  await writeFileAtomic(file, await leaderboardPage(board));
}
