/** Packs bytes as TIFF's LZW: codes of 9 to 12 bits, high bit first, one longer a code early. */
export function packLzw(bytes: Uint8Array): Uint8Array {
  const out: number[] = [];
  let held = 0;
  let count = 0;
  let width = 9;
  let table = new Map<string, number>();
  let next = 258;
  const put = (code: number): void => {
    held = (held << width) | code;
    count += width;
    while (count >= 8) {
      count -= 8;
      out.push((held >> count) & 255);
      held &= (1 << count) - 1;
    }
  };
  const clear = (): void => {
    put(256);
    table = new Map();
    next = 258;
    width = 9;
  };
  const codeOf = (text: string): number => (text.length === 1 ? text.charCodeAt(0) : table.get(text)!);
  clear();
  let text = '';
  for (const byte of bytes) {
    const longer = text + String.fromCharCode(byte);
    if (longer.length === 1 || table.has(longer)) {
      text = longer;
      continue;
    }
    put(codeOf(text));
    table.set(longer, next++);
    if (next === 4094) clear();
    else if (next === 1 << width) width++;
    text = String.fromCharCode(byte);
  }
  if (text) {
    put(codeOf(text));
    next++;
    if (next === 1 << width && width < 12) width++;
  }
  put(257);
  if (count > 0) out.push((held << (8 - count)) & 255);
  return Uint8Array.from(out);
}
