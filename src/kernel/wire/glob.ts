type Part =
  { readonly kind: 'any' } | { readonly kind: 'one'; readonly fits: (character: string) => boolean };

/**
 * Matches a whole text against a pattern of `*` (any text), `?` (one character) and `[a-z]`, `[^a-z]` (one of them).
 * Its time grows with text × pattern at most, whatever the pattern.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  const parts = parse(pattern);
  return (text) => {
    const characters = [...text];
    let at = 0;
    let part = 0;
    let afterStar = -1;
    let retry = 0;
    while (at < characters.length) {
      const now = parts[part];
      if (now?.kind === 'any') {
        afterStar = ++part;
        retry = at;
      } else if (now?.kind === 'one' && now.fits(characters[at]!)) {
        part++;
        at++;
      } else if (afterStar !== -1) {
        // the last star takes one character more
        part = afterStar;
        at = ++retry;
      } else return false;
    }
    return parts.slice(part).every(({ kind }) => kind === 'any');
  };
}

function parse(pattern: string): Part[] {
  const parts: Part[] = [];
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i]!;
    if (character === '*') {
      if (parts.at(-1)?.kind !== 'any') parts.push({ kind: 'any' });
    } else if (character === '?') parts.push({ kind: 'one', fits: () => true });
    else {
      // `]` right after the bracket belongs to the class; a bracket that is not closed is itself
      const end = character === '[' ? characters.indexOf(']', i + (characters[i + 1] === '^' ? 3 : 2)) : -1;
      if (end === -1) parts.push({ kind: 'one', fits: (one) => one === character });
      else {
        parts.push({ kind: 'one', fits: characterClass(characters.slice(i + 1, end)) });
        i = end;
      }
    }
  }
  return parts;
}

function characterClass(members: readonly string[]): (character: string) => boolean {
  const isNegated = members[0] === '^';
  const ranges: [string, string][] = [];
  for (let i = isNegated ? 1 : 0; i < members.length; i++) {
    if (members[i + 1] === '-' && i + 2 < members.length) {
      ranges.push([members[i]!, members[i + 2]!]);
      i += 2;
    } else ranges.push([members[i]!, members[i]!]);
  }
  const code = (character: string) => character.codePointAt(0)!;
  return (character) =>
    ranges.some(([from, to]) => code(from) <= code(character) && code(character) <= code(to)) !== isNegated;
}
