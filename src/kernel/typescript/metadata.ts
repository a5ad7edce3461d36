import { ts } from './typescript.js';

/** What the comments at the top of a cell say about it, in tslab's words. */
export interface CellMetadata {
  /** `@module NAME`: the cell is the module `./NAME`, and runs where that is imported. */
  readonly module?: string;
  /** `@jsx`: with `@module`, its syntax is that of a .tsx file. */
  readonly isJsx: boolean;
  /** `@browser`: the cell is for a browser, and does nothing here. */
  readonly isBrowser: boolean;
}

export function readMetadata(code: string): CellMetadata {
  const comments = code.includes('@') ? (ts.getLeadingCommentRanges(code, 0) ?? []) : [];
  const text = comments
    .map(({ pos, end }) => code.slice(pos, end))
    .filter((comment) => comment.startsWith('/**'))
    .join('\n');
  const tag = (name: string): RegExpExecArray | null =>
    new RegExp(`^[\\s/*]*@${name}(?:[ \\t]+(\\w+))?[ \\t]*(?:\\*/)?[ \\t]*$`, 'm').exec(text);
  const module = tag('module')?.[1];
  return {
    ...(module !== undefined && { module }),
    isJsx: /^[\s/*]*@jsx\b/m.test(text),
    isBrowser: tag('browser') !== null,
  };
}
