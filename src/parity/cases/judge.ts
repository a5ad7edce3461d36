import { GondwanaError } from '../../errors.js';

/** What every record of `expected.json` has, whatever its folder. */
export interface CaseEntry {
  readonly file: string;
  readonly kind: string;
  readonly expect: 'ok' | 'error' | 'ok-or-named-error';
  readonly errorKind?: string | null;
  readonly alsoAccept?: readonly string[];
  readonly limits?: { readonly maxSeconds: number; readonly maxExtraMemoryMB: number };
}

/**
 * Lets `read` loose on a case and judges what it did: the right numbers where numbers are due, else an error of the
 * right kind, in time and without much memory. `read` resolves to the first difference, or undefined.
 * @returns undefined where all is right, else one line
 */
export async function judge(
  entry: CaseEntry,
  read: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  const accepted = [entry.errorKind, ...(entry.alsoAccept ?? [])].filter((code) => typeof code === 'string');
  const started = performance.now();
  const before = { rss: process.memoryUsage().rss, peak: process.resourceUsage().maxRSS * 1024 };
  let difference: string | undefined;
  let failure: Error | undefined;
  try {
    difference = await read();
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  }
  if (failure === undefined) {
    return entry.expect === 'error'
      ? `it was read, and ${accepted.join(' or ')} is due${difference ? ` (${difference})` : ''}`
      : difference;
  }
  if (!(failure instanceof GondwanaError)) throw failure;
  if (entry.expect === 'ok' || !accepted.includes(failure.code)) {
    const due = entry.expect === 'ok' ? 'it should be read' : `${accepted.join(' or ')} is due`;
    return `${due}, but: ${failure.code}: ${failure.message}`;
  }
  if (!failure.where || !failure.hint) return `${failure.code} does not say where, or what to do`;
  return overLimits(entry, performance.now() - started, before);
}

function overLimits(
  { limits }: CaseEntry,
  elapsedMs: number,
  before: { readonly rss: number; readonly peak: number },
): string | undefined {
  if (!limits) return undefined;
  if (elapsedMs > limits.maxSeconds * 1000) return `it took ${Math.round(elapsedMs)} ms`;
  const peak = process.resourceUsage().maxRSS * 1024; // grows only, so an earlier peak hides a smaller one
  const grownMB = peak > before.peak ? (peak - before.rss) / 2 ** 20 : 0;
  return grownMB > limits.maxExtraMemoryMB ? `it took ${Math.round(grownMB)} MB` : undefined;
}
