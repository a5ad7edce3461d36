/** Recognises by its first bytes a file that was delivered in place of the wanted one. */

/** How many first bytes `describeImpostor` looks at, at most. */
export const SNIFF_BYTES = 512;

/**
 * What the file is instead of the binary file that was wanted, with what to do; undefined where nothing is
 * recognised. `size` is the length of the whole file in bytes.
 */
export function describeImpostor(head: Uint8Array, size: number): { what: string; hint: string } | undefined {
  if (size === 0) {
    return { what: 'The file is empty.', hint: 'Download or copy it again: nothing arrived.' };
  }
  const text = new TextDecoder('latin1')
    .decode(head.subarray(0, SNIFF_BYTES))
    .replace(/^\u00ef\u00bb\u00bf/, '');
  const start = text.trimStart().toLowerCase();
  if (start.startsWith('version https://git-lfs')) {
    return {
      what: 'The file is a Git LFS pointer, a few lines of text that stand for the real file.',
      hint: 'Fetch the content with `git lfs pull`, or download the file itself.',
    };
  }
  if (start.startsWith('<!doctype html') || start.startsWith('<html') || start.startsWith('<head')) {
    return {
      what: 'The file is an HTML page, likely the error or log-in page of a download.',
      hint: 'Open it in a browser to see what the server said, then download again.',
    };
  }
  if (start.startsWith('<?xml') || start.startsWith('<error')) {
    return {
      what: 'The file is an XML document.',
      hint: 'If it is the answer of a download, read it and try again.',
    };
  }
  if (head.subarray(0, SNIFF_BYTES).every((byte) => byte === 0)) {
    return { what: 'The file starts with zeros only.', hint: 'The copy or download broke; fetch it again.' };
  }
  return undefined;
}

/** True where the first bytes are plain text. */
export const looksLikeText = (head: Uint8Array): boolean =>
  head.length > 0 &&
  head.subarray(0, SNIFF_BYTES).every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13);
