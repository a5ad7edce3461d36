/** One number of one run, from wherever it comes: the row that statistics are made of. */
export interface RunScore {
  /** What is ranked: an encoder, an arm, an entry of a leaderboard. */
  readonly model: string;
  readonly dataset: string;
  /** Label of the repetition, kept as text (`007` is not `7`); null where it is not known. */
  readonly seed: string | null;
  /** Name of the score; null where it is not known. */
  readonly metric: string | null;
  /** null where the run failed. */
  readonly score: number | null;
}
