/** Lines that come in between while a command is at work. */
export interface Notices {
  say(text: string): void;
  /** Hands further lines to one that draws on stderr, until the function that is returned is called. */
  takeOver(write: (text: string) => void): () => void;
}

/** Writes to `stderr` while nobody has taken the lines over. */
export function createNotices(stderr: { write(text: string): unknown }): Notices {
  const plain = (text: string): void => void stderr.write(`${text}\n`);
  let write = plain;
  return {
    say: (text) => write(text),
    takeOver(other) {
      write = other;
      return () => {
        if (write === other) write = plain;
      };
    },
  };
}
