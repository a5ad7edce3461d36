/** Rows of a CSV text (RFC 4180) as objects of text by column; an empty cell is ''. */
export function readCsv(text) {
  const rows = [];
  let row = [];
  const cell = /("(?:[^"]|"")*"|[^",\r\n]*)(,|\r?\n|$)/y;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error(`not CSV at character ${cell.lastIndex}`);
    row.push(match[1].startsWith('"') ? match[1].slice(1, -1).replaceAll('""', '"') : match[1]);
    if (match[2] === ',') continue;
    rows.push(row);
    row = [];
  }
  const [names = [], ...values] = rows;
  return values.map((cells) => Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ''])));
}
