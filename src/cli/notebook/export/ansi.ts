import { escapeHtml } from '../../../display/mime.js';

/** Control sequences of a terminal: colours, cursor, links. */
const SEQUENCE = /\u001b(?:\[([0-9;:?]*)([ -/]*[@-~])|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** Text without the sequences that colour it or move a cursor. */
export const withoutColours = (text: string): string => text.replace(SEQUENCE, '');

interface Style {
  readonly colour: string;
  readonly background: string;
  readonly marks: readonly string[];
}

const PLAIN: Style = { colour: '', background: '', marks: [] };
const MARKS: Readonly<Record<number, string>> = { 1: 'bold', 2: 'faint', 3: 'italic', 4: 'underline' };

/** Text of a terminal as HTML: the sixteen colours as classes `ansi-0` … `ansi-15`, all else escaped. */
export function ansiHtml(text: string): string {
  let style = PLAIN;
  let html = '';
  let at = 0;
  const take = (end: number): void => {
    if (end > at) html += span(style, text.slice(at, end));
  };
  for (const match of text.matchAll(SEQUENCE)) {
    take(match.index);
    at = match.index + match[0].length;
    if (match[2] === 'm') style = applied(style, match[1] ?? '');
  }
  take(text.length);
  return html;
}

function span({ colour, background, marks }: Style, text: string): string {
  const classes = [colour && `ansi-${colour}`, background && `ansi-on-${background}`, ...marks].filter(
    Boolean,
  );
  const escaped = escapeHtml(text);
  return classes.length > 0 ? `<span class="${classes.join(' ')}">${escaped}</span>` : escaped;
}

function applied(style: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let next = style;
  for (let i = 0; i < codes.length; i++) {
    const code = codes[i]!;
    if (code === 0) next = PLAIN;
    else if (code in MARKS) next = { ...next, marks: [...new Set([...next.marks, MARKS[code]!])] };
    else if (code === 22) next = without(next, ['bold', 'faint']);
    else if (code === 23 || code === 24) next = without(next, [MARKS[code - 20]!]);
    else if (code === 39) next = { ...next, colour: '' };
    else if (code === 49) next = { ...next, background: '' };
    else if (code >= 30 && code <= 37) next = { ...next, colour: String(code - 30) };
    else if (code >= 90 && code <= 97) next = { ...next, colour: String(code - 82) };
    else if (code >= 40 && code <= 47) next = { ...next, background: String(code - 40) };
    else if (code >= 100 && code <= 107) next = { ...next, background: String(code - 92) };
    else if (code === 38 || code === 48) {
      // 5;N is a palette of 256 of which the first 16 are shown; 2;R;G;B is passed over
      const colour = codes[i + 1] === 5 && codes[i + 2]! < 16 ? String(codes[i + 2]) : '';
      next = code === 38 ? { ...next, colour } : { ...next, background: colour };
      i += codes[i + 1] === 5 ? 2 : 4;
    }
  }
  return next;
}

const without = (style: Style, marks: readonly string[]): Style => ({
  ...style,
  marks: style.marks.filter((mark) => !marks.includes(mark)),
});
