/** Names and values below each other; a list takes a line for each of its members. */
export function facts(values: Readonly<Record<string, string | number | readonly string[]>>): string {
  const width = Math.max(...Object.keys(values).map((name) => name.length));
  const lines: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const members = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
    for (const [i, member] of members.entries())
      lines.push(`${(i === 0 ? name : '').padEnd(width)}  ${member}`);
  }
  return lines.join('\n');
}
