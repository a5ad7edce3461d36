/** Names faults on stderr, each kind at most once in a while, so that a flood of them does no harm. */
export class Complaints {
  readonly #counts = new Map<string, { count: number; told: number; at: number }>();
  readonly #write: (text: string) => void;
  readonly #everyMs: number;

  constructor(write: (text: string) => void, everyMs = 5000) {
    this.#write = write;
    this.#everyMs = everyMs;
  }

  /** How many faults of this kind there were. */
  count(kind: string): number {
    return this.#counts.get(kind)?.count ?? 0;
  }

  /** @param kind what is counted together; `detail` is told and not counted apart */
  add(kind: string, detail = ''): void {
    const now = performance.now();
    let entry = this.#counts.get(kind);
    if (entry === undefined) {
      // kinds may hold what a stranger sent: they are as many as the kernel has names for, or forgotten
      if (this.#counts.size >= 100) this.#counts.clear();
      entry = { count: 0, told: 0, at: -Infinity };
      this.#counts.set(kind, entry);
    }
    entry.count++;
    if (now - entry.at < this.#everyMs) return;
    const missed = entry.count - entry.told - 1;
    const more = missed > 0 ? ` (${missed} more since the last line)` : '';
    this.#write(`Gondwana kernel: ${kind}${detail && `: ${detail}`}${more}\n`);
    entry.told = entry.count;
    entry.at = now;
  }
}
