const CALL = /\(0 ?, ?__cell_([\p{ID_Continue}$]+)\.v\)/gu;
const READ = /(?<![\p{ID_Continue}$])__cell_([\p{ID_Continue}$]+)\.v(?![\p{ID_Continue}$])/gu;
const OWN = /(?<![\p{ID_Continue}$])__cell_own_(require|exports)\b/gu;

const asTyped = (text: string): string => text.replace(CALL, '$1').replace(READ, '$1').replace(OWN, '$1');

/** Causes of causes that are followed. */
const DEPTH = 5;

/**
 * V8 quotes code in some messages: `(0 , __cell_f.v) is not a function` turns back into what the user wrote. The
 * error itself is changed, and its causes. One that cannot be read or changed stays as it is.
 */
export function restoreNames(error: unknown): void {
  try {
    restore(error, 0);
  } catch {
    // its members throw
  }
}

function restore(error: unknown, depth: number): void {
  if (!(error instanceof Error) || depth > DEPTH) return;
  for (const key of ['message', 'stack'] as const) {
    const text: unknown = error[key];
    if (typeof text !== 'string' || !text.includes('__cell_')) continue;
    try {
      error[key] = asTyped(text);
    } catch {
      // a frozen error keeps its text
    }
  }
  restore(error.cause, depth + 1);
  if (error instanceof AggregateError) {
    for (const part of error.errors as unknown[]) restore(part, depth + 1);
  }
}
