import { escapeHtml } from '../../../display/mime.js';

const KEYWORDS =
  'abstract as async await break case catch class const continue debugger declare default delete do else enum ' +
  'export extends finally for from function get if implements import in infer instanceof interface is keyof let ' +
  'namespace new of override private protected public readonly return satisfies set static super switch this ' +
  'throw try type typeof using var void while with yield';
const CONSTANTS = 'true false null undefined NaN Infinity';
const words = (list: string): string => list.replaceAll(' ', '|');

/** In order of precedence. A regular expression's literal is read as one only where no value can stand before it. */
const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))`,
    String.raw`(?<string>"(?:[^"\\\n]|\\[\s\S])*"?|'(?:[^'\\\n]|\\[\s\S])*'?|\`(?:[^\`\\]|\\[\s\S])*\`?)`,
    String.raw`(?<pattern>(?<=(?:^|[=(,:;!&|?{}[+\n]|return|=>)\s*)\/(?![*/])(?:[^\\/\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*)`,
    String.raw`(?<number>\b(?:0[xXbBoO][\da-fA-F_]+|\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?\d+)?)n?\b)`,
    String.raw`(?<keyword>(?<![.\w$])(?:${words(KEYWORDS)})(?![\w$]))`,
    String.raw`(?<constant>(?<![.\w$])(?:${words(CONSTANTS)})(?![\w$]))`,
  ].join('|'),
  'g',
);

/** TypeScript or JavaScript as HTML whose comments, texts, numbers and keywords have classes; all escaped. */
export function highlightTypeScript(code: string): string {
  let html = '';
  let at = 0;
  for (const match of code.matchAll(TOKEN)) {
    const [kind] = Object.entries(match.groups!).find(([, text]) => text !== undefined)!;
    html += `${escapeHtml(code.slice(at, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escapeHtml(code.slice(at));
}
