import { readFileSync } from 'node:fs';
import { nearest } from '../errors.js';
import type { CellDiagnostic } from './cell-engine.js';
import { missingModuleHint } from './modules/module-errors.js';

/** TypeScript's numbers of the messages that are given advice. */
const NOT_FOUND = [2307, 2792];
const NO_NAME = [2304, 2552, 2503];
const NO_PROPERTY = [2339, 2551];
const UNKNOWN_MEMBER = [2353, 2561];
/** Below are errors of syntax. */
const FIRST_OF_TYPES = 2000;

/** Words of Python that a newcomer types. */
const PYTHON_WORDS: Readonly<Record<string, string>> = {
  print: '`console.log(…)` prints, `display(…)` shows.',
  len: 'Arrays and texts have `.length`.',
  range: '`[...Array(n).keys()]` is 0 … n − 1.',
  None: 'It is `null`, or `undefined`.',
  True: 'It is `true`.',
  False: 'It is `false`.',
};
const PYTHON_LINE =
  /^\s*(import [\w.]+( as \w+)?\s*$|from [\w.]+ import\b|(async )?def \w+\(|(for \w+ in|if|elif|while|with|class|try|else)\b.*:\s*(#.*)?$|(for|while|if) .*:\s*\w+|print [^(=])/;

/** Diagnostics of a cell, those that a newcomer meets with a word on what to do. */
export function withAdvice(
  diagnostics: readonly CellDiagnostic[],
  cell: { readonly code: string; readonly folder: string },
): readonly CellDiagnostic[] {
  const lines = cell.code.split('\n');
  let isSaid = false; // of Python, once a cell
  return diagnostics.map((diagnostic) => {
    if (diagnostic.severity !== 'error' || diagnostic.file !== undefined) return diagnostic;
    if (diagnostic.code < FIRST_OF_TYPES) {
      if (isSaid || !PYTHON_LINE.test(lines[diagnostic.line - 1] ?? '')) return diagnostic;
      isSaid = true;
      return { ...diagnostic, hint: 'Cells are TypeScript, and this line reads like Python.' };
    }
    const hint = adviceFor(diagnostic, cell.folder);
    return hint === undefined ? diagnostic : { ...diagnostic, hint };
  });
}

function adviceFor({ code, message }: CellDiagnostic, folder: string): string | undefined {
  const quoted = /'([^']+)'/.exec(message)?.[1] ?? '';
  if (NOT_FOUND.includes(code)) return missingModuleHint(quoted, folder);
  if (NO_NAME.includes(code)) {
    for (const [module, names] of offered()) {
      if (names.has(quoted)) return `import { ${quoted} } from '${module}';`;
      // of a short name many are near; where TypeScript has guessed, one guess is enough
      const isGuessed = quoted.length <= 5 || code !== NO_NAME[0];
      const guess = isGuessed ? undefined : nearest(quoted, [...names]);
      if (guess !== undefined) return `Did you mean "${guess}"? import { ${guess} } from '${module}';`;
    }
    return Object.hasOwn(PYTHON_WORDS, quoted) ? PYTHON_WORDS[quoted] : undefined;
  }
  if (
    NO_PROPERTY.includes(code)
      ? / type 'Promise</.test(message)
      : /^(Argument of t|T)ype 'Promise</.test(message)
  ) {
    return 'It is a promise: write `await` before the call that makes it.';
  }
  if (
    UNKNOWN_MEMBER.includes(code) &&
    message.includes("type 'StudyDefinition'") &&
    !message.includes('Did you mean')
  ) {
    return 'What holds for every run goes into `settings: { … }`, what is compared into `vary: { … }`.';
  }
  return undefined;
}

let known: ReadonlyMap<string, ReadonlySet<string>> | undefined;

/** Values that the package exports, by the name they are imported from. */
function offered(): ReadonlyMap<string, ReadonlySet<string>> {
  return (known ??= new Map([
    ['gondwana', exportsOf('../index')],
    ['gondwana/engine', exportsOf('../engine/index')],
    ['gondwana/encoders', exportsOf('../encoders/index')],
    ['gondwana/decoders', exportsOf('../decoders/index')],
  ]));
}

function exportsOf(file: string): ReadonlySet<string> {
  // declarations lie beside what is compiled; the source itself says the same
  for (const ending of ['.d.ts', '.ts']) {
    try {
      return namesIn(readFileSync(new URL(`${file}${ending}`, import.meta.url), 'utf8'));
    } catch {
      continue;
    }
  }
  return new Set();
}

function namesIn(declarations: string): ReadonlySet<string> {
  const lists = [...declarations.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list]) => list!.split(','));
  const names = lists.map((part) => part.trim()).filter((part) => part !== '' && !part.startsWith('type '));
  const spaces = [...declarations.matchAll(/^export \* as (\w+)/gm)].map(([, name]) => name!);
  return new Set([...names.map((part) => part.split(/\s+as\s+/).at(-1)!), ...spaces]);
}
