/**
 * The option `-p` has two values, which the command line's reader does not know: `-p NAME VALUE` becomes
 * `-p NAME=VALUE` before it reads. `NAME=VALUE` typed as one word stays.
 */
export function joinParameters(argv: readonly string[]): string[] {
  const joined: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i]!;
    joined.push(word);
    if (word !== '-p' && word !== '--parameter') continue;
    const [name, value] = [argv[i + 1], argv[i + 2]];
    if (name === undefined || value === undefined || /^[\w$]+=/.test(name)) continue;
    if (/^(--|-p$)/.test(value)) continue; // the next option: the value is missing
    joined.push(`${name}=${value}`);
    i += 2;
  }
  return joined;
}
