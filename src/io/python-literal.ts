/** Literals as Python prints them. Nothing is evaluated: what is no literal is a fault. */
export type PythonLiteral =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly PythonLiteral[]
  | ReadonlyMap<PythonLiteral, PythonLiteral>;

/** Why a text is no literal; whoever reads it says where. */
export class LiteralFault extends Error {}

const MAX_DEPTH = 32;

/**
 * Value of a literal: dict → Map, tuple and list → array, str → text, bytes → Uint8Array, whole numbers beyond 2^53 →
 * bigint.
 * @throws LiteralFault
 */
export function parsePythonLiteral(text: string): PythonLiteral {
  const reader = new LiteralReader(text);
  const value = reader.value(0);
  reader.end();
  return value;
}

class LiteralReader {
  private at = 0;
  constructor(private readonly text: string) {}

  value(depth: number): PythonLiteral {
    if (depth > MAX_DEPTH) throw new LiteralFault('it is nested too deep');
    const next = this.peek();
    if (next === '{') return this.dict(depth);
    if (next === '(') return this.sequence(')', depth);
    if (next === '[') return this.sequence(']', depth);
    const string = /[uU]?(['"])/y;
    string.lastIndex = this.at;
    const quote = string.exec(this.text);
    if (quote) {
      this.at = string.lastIndex;
      return this.characters(quote[1]!);
    }
    const bytes = /[bB](['"])/y;
    bytes.lastIndex = this.at;
    const byteQuote = bytes.exec(this.text);
    if (byteQuote) {
      this.at = bytes.lastIndex;
      return byteCodes(this.characters(byteQuote[1]!));
    }
    const word = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[lL]?|[A-Za-z_][\w.]*/y;
    word.lastIndex = this.at;
    const found = word.exec(this.text)?.[0];
    if (found === undefined) throw new LiteralFault(`there is no value at character ${this.at}`);
    this.at = word.lastIndex;
    return wordValue(found, this.at - found.length);
  }

  end(): void {
    if (this.peek() !== undefined) throw new LiteralFault(`more follows at character ${this.at}`);
  }

  private peek(): string | undefined {
    while (' \t\r\n\f'.includes(this.text[this.at] ?? '-')) this.at++;
    return this.text[this.at];
  }

  private take(expected: string): void {
    if (this.peek() !== expected)
      throw new LiteralFault(`character ${this.at} is ${this.text[this.at] ?? 'missing'}, not ${expected}`);
    this.at++;
  }

  private dict(depth: number): PythonLiteral {
    const entries = new Map<PythonLiteral, PythonLiteral>();
    this.take('{');
    while (this.peek() !== '}') {
      const key = this.value(depth + 1);
      this.take(':');
      entries.set(key, this.value(depth + 1));
      if (this.peek() !== '}') this.take(',');
    }
    this.take('}');
    return entries;
  }

  /** A tuple of one needs its comma; without it the brackets only group. */
  private sequence(close: string, depth: number): PythonLiteral {
    const items: PythonLiteral[] = [];
    let hasComma = false;
    this.at++;
    while (this.peek() !== close) {
      items.push(this.value(depth + 1));
      if (this.peek() === close) break;
      this.take(',');
      hasComma = true;
    }
    this.take(close);
    return close === ')' && items.length === 1 && !hasComma ? items[0]! : items;
  }

  private characters(quote: string): string {
    const parts: string[] = [];
    const plain = quote === "'" ? /[^'\\\n]+/y : /[^"\\\n]+/y;
    for (;;) {
      plain.lastIndex = this.at;
      const run = plain.exec(this.text)?.[0];
      if (run !== undefined) {
        parts.push(run);
        this.at += run.length;
      }
      const next = this.text[this.at++];
      if (next === quote) return parts.join('');
      if (next !== '\\') throw new LiteralFault('a text does not end');
      parts.push(this.escape());
    }
  }

  private escape(): string {
    const letter = this.text[this.at++] ?? '';
    const simple = ESCAPES.get(letter);
    if (simple !== undefined) return simple;
    const digits = letter === 'x' ? 2 : letter === 'u' ? 4 : letter === 'U' ? 8 : 0;
    const code = this.text.slice(this.at, this.at + digits);
    if (digits === 0 || !new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(code) || parseInt(code, 16) > 0x10ffff)
      throw new LiteralFault(`the escape \\${letter} is unknown or wrong`);
    this.at += digits;
    return String.fromCodePoint(parseInt(code, 16));
  }
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\'],
  ["'", "'"],
  ['"', '"'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['0', '\0'],
  ['\n', ''],
]);

const WORDS: ReadonlyMap<string, null | boolean> = new Map([
  ['True', true],
  ['False', false],
  ['None', null],
]);

function wordValue(word: string, at: number): PythonLiteral {
  const known = WORDS.get(word);
  if (known !== undefined) return known;
  const whole = /^([+-]?\d+)[lL]?$/.exec(word)?.[1];
  if (whole !== undefined) {
    const value = Number(whole);
    return Number.isSafeInteger(value) ? value : BigInt(whole);
  }
  if (/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(word)) return Number(word);
  throw new LiteralFault(`"${word.slice(0, 40)}" at character ${at} is no literal`);
}

function byteCodes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > 255) throw new LiteralFault('a byte is above 255');
    bytes[i] = code;
  }
  return bytes;
}
