/**
 * Makes a piece of HTML safe to stand inside a page: nothing in it stays open that would swallow what follows, and
 * what would load, run or lead away by itself is taken out. The page's policy is what forbids scripts; this keeps
 * its form.
 * @param imageSource new `src` of an image by its old one, as text; undefined takes the image out
 */
export function tidyHtml(
  html: string,
  imageSource: (source: string) => string | undefined = (source) => source,
): string {
  let tidied = '';
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    if (open === -1) return tidied + html.slice(at);
    if (!html.includes('>', open) && !html.startsWith('<!', open))
      return tidied + html.slice(at).replaceAll('<', '&lt;');
    tidied += html.slice(at, open);
    const comment = /^<(?:!--[\s\S]*?(?:-->|$)|[!?][^>]*(?:>|$))/.exec(html.slice(open));
    if (comment) {
      at = open + comment[0].length;
      continue;
    }
    const tag = readTag(html, open);
    if (!tag) {
      tidied += '&lt;';
      at = open + 1;
      continue;
    }
    at = open + tag.text.length;
    if (tag.name === 'script' || tag.name === 'style') {
      const content = tag.isEnd ? '' : rawContent(html, at, tag.name);
      if (tag.name === 'style' && !tag.isEnd) tidied += `${tag.text}${content}</style>`;
      at += content.length;
    } else if (tag.name === 'img') tidied += imageTag(tag.text, imageSource);
    else if (!TAKEN_OUT.has(tag.name)) tidied += tag.text;
  }
  return tidied;
}

/** Tags that load or lead, that hide all that follows, or that belong to a page as a whole; what is inside stays. */
const TAKEN_OUT = new Set(
  (
    'base body embed frame frameset head html iframe link meta noembed noframes noscript object plaintext ' +
    'template textarea title xmp'
  ).split(' '),
);

interface Tag {
  readonly text: string;
  /** Lower case. */
  readonly name: string;
  readonly isEnd: boolean;
}

const TAG = /<(\/?)([a-zA-Z][^\s/>]*)(?:[^"'>]|"[^"]*"|'[^']*')*>/y;

function readTag(html: string, at: number): Tag | undefined {
  TAG.lastIndex = at;
  const match = TAG.exec(html);
  return match ? { text: match[0], name: match[2]!.toLowerCase(), isEnd: match[1] === '/' } : undefined;
}

/** What stands before the end tag of a script or style, all where it is missing. */
function rawContent(html: string, from: number, name: string): string {
  const end = new RegExp(`</${name}\\b`, 'i').exec(html.slice(from));
  return html.slice(from, end ? from + end.index : html.length);
}

function imageTag(text: string, imageSource: (source: string) => string | undefined): string {
  const match = /\ssrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(text);
  if (!match) return '';
  const source = imageSource(unescapeHtml(match[1] ?? match[2] ?? match[3] ?? ''));
  if (source === undefined) {
    const alt = /\salt\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(text);
    return alt?.[1] ?? alt?.[2] ?? '';
  }
  const attribute = ` src="${source.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;')}"`;
  const rest = text
    .slice(match.index + match[0].length)
    .replace(/\ssrcset\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, '');
  return text.slice(0, match.index) + attribute + rest;
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => NAMED[name]!);
