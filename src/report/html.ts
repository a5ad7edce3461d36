import { escapeHtml } from '../display/mime.js';

/** Text that is HTML already; everything else is escaped when it is put into `markup`. */
export class Markup {
  constructor(readonly text: string) {}
  toString(): string {
    return this.text;
  }
}

export type HtmlPart = Markup | string | number | null | undefined | false | readonly HtmlPart[];

/** Template tag: literal parts are HTML, what is filled in is escaped unless it is Markup. */
export function markup(strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Markup {
  let text = strings[0]!;
  parts.forEach((part, i) => (text += render(part) + strings[i + 1]!));
  return new Markup(text);
}

function render(part: HtmlPart): string {
  if (part === null || part === undefined || part === false) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}

/** JSON that can stand inside a script element: no `</script`, `<!--` or line separators in it. */
export const scriptJson = (value: unknown): Markup =>
  new Markup(
    JSON.stringify(value).replace(
      /[<>\u2028\u2029]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  );

/** `1 run`, `2 runs`. */
export const counted = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;
