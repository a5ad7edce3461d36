const CALL = /\(0 ?, ?\${2,}([\p{ID_Continue}$]+)\.v\)/gu;
const READ = /(?<![\p{ID_Continue}$])\${2,}([\p{ID_Start}_][\p{ID_Continue}$]*)\.v(?![\p{ID_Continue}$])/gu;

const asTyped = (text: string): string => text.replace(CALL, '$1').replace(READ, '$1');

/**
 * V8 quotes code in some messages: `(0 , $$f.v) is not a function` turns back into what the user wrote. The error
 * itself is changed, its causes too. One that cannot be read or changed stays as it is.
 */
export function restoreNames(error: unknown): void {
  try {
    restore(error, 0);
  } catch {
    // its members throw
  }
}

function restore(error: unknown, depth: number): void {
  if (!(error instanceof Error) || depth > 5) return;
  // the stack is made when it is first read, and repeats the message
  if (typeof error.message === 'string' && error.message.includes('$$')) {
    try {
      error.message = asTyped(error.message);
      error.stack = asTyped(String(error.stack));
    } catch {
      // a frozen error keeps its text
    }
  }
  restore(error.cause, depth + 1);
  if (error instanceof AggregateError) {
    for (const part of error.errors as unknown[]) restore(part, depth + 1);
  }
}
