type FactValue = string | number | readonly string[] | null | undefined;

/** Names and values below each other; a list takes a line for each of its members; what has no value is left out. */
export function facts(values: Readonly<Record<string, FactValue>>): string {
  const known = Object.entries(values).filter(([, value]) => value !== null && value !== undefined);
  const width = Math.max(...known.map(([name]) => name.length));
  const lines: string[] = [];
  for (const [name, value] of known) {
    const members = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
    for (const [i, member] of members.entries())
      lines.push(`${(i === 0 ? name : '').padEnd(width)}  ${member}`);
  }
  return lines.join('\n');
}
