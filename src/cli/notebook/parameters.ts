import { InputError, nearest, UsageError } from '../../errors.js';
import { newCellId, newCodeCell, tagsOf, type Notebook } from './format.js';

/** A parameter as typed: its value is JSON where it reads as JSON, else text. */
export interface Parameter {
  readonly name: string;
  readonly value: unknown;
  /** As typed. */
  readonly text: string;
}

/** A name that the parameters cell declares. */
export interface DeclaredParameter {
  readonly name: string;
  /** Type annotation as written, or the empty string. */
  readonly annotation: string;
  /** Kind of a literal that it starts with; undefined where it is computed or has an annotation. */
  readonly kind: ValueKind | undefined;
}

type ValueKind = 'boolean' | 'number' | 'string' | 'array' | 'object' | 'null';

/** @throws UsageError PARAMETER_FORM */
export function parseParameter(pair: string): Parameter {
  const at = pair.indexOf('=');
  const name = pair.slice(0, at);
  if (at === -1 || !/^[A-Za-z_$][\w$]*$/.test(name)) {
    throw new UsageError('PARAMETER_FORM', `A parameter needs a name and a value, and this is "${pair}".`, {
      hint: 'For example: -p quick true, or -p results ../results.',
    });
  }
  const text = pair.slice(at + 1);
  return { name, value: valueOf(text), text };
}

function valueOf(text: string): unknown {
  try {
    return JSON.parse(text, finite) as unknown;
  } catch {
    return text;
  }
}

/** `1e999` reads as a number that JSON cannot write again: it would become null. */
function finite(_: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not finite');
  return value;
}

/**
 * Puts a cell with the values after the one tagged `parameters`, or at the start where there is none, in place of
 * one that was put there before.
 * @throws InputError PARAMETER_UNKNOWN, PARAMETER_TYPE, PARAMETERS_CELL, PARAMETERS_LANGUAGE
 */
export async function injectParameters(
  notebook: Notebook,
  parameters: readonly Parameter[],
  language: string,
  where: string,
): Promise<void> {
  if (parameters.length === 0) return;
  if (language !== 'typescript' && language !== 'javascript') {
    throw new InputError(
      'PARAMETERS_LANGUAGE',
      `Parameters cannot be written in the language "${language}".`,
      {
        where,
        hint: 'Leave -p out, or run it with a TypeScript kernel; papermill knows other languages.',
      },
    );
  }
  notebook.cells = notebook.cells.filter((cell) => !tagsOf(cell).includes('injected-parameters'));
  const at = notebook.cells.findIndex(
    (cell) => cell.cell_type === 'code' && tagsOf(cell).includes('parameters'),
  );
  const cell = notebook.cells[at];
  const declared = cell && (await readDeclarations(cell.source, `${where}, cell "${cell.id}"`));
  const last = new Map(parameters.map((parameter) => [parameter.name, parameter]));
  const lines = [...last.values()].map((parameter) => {
    if (!declared) return `let ${parameter.name} = ${literal(parameter.value)};`;
    const { annotation, value } = fitted(parameter, declared, `${where}, cell "${cell.id}"`);
    return `let ${parameter.name}${annotation && `: ${annotation}`} = ${literal(value)};`;
  });
  const ids = new Set(notebook.cells.map(({ id }) => id));
  const injected = newCodeCell(lines.join('\n'), newCellId(ids), ['injected-parameters']);
  notebook.cells.splice(at + 1, 0, injected);
}

/** JSON is TypeScript, but for two line separators that older readers refuse. */
const literal = (value: unknown): string =>
  JSON.stringify(value).replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`);

/** The value as the name wants it: what is declared as text is text, also where it reads as JSON. */
function fitted(
  { name, value, text }: Parameter,
  declared: readonly DeclaredParameter[],
  where: string,
): { annotation: string; value: unknown } {
  const known = declared.find((entry) => entry.name === name);
  if (!known) {
    const names = declared.map((entry) => entry.name);
    const guess = nearest(name, names);
    throw new InputError('PARAMETER_UNKNOWN', `The notebook has no parameter "${name}".`, {
      where,
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known: ${names.join(', ') || 'none'}.`,
    });
  }
  const { annotation, kind } = known;
  if (kind === 'string' || annotation === 'string') {
    return { annotation, value: typeof value === 'string' ? value : text };
  }
  const given = kindOf(value);
  if (kind === undefined || kind === given || kind === 'null') return { annotation, value };
  throw new InputError(
    'PARAMETER_TYPE',
    `"${name}" is ${article(kind)}, and "${text}" is ${article(given)}.`,
    {
      where,
      hint: `Give a value that is ${article(kind)} in JSON.`,
    },
  );
}

const article = (kind: ValueKind): string =>
  kind === 'null'
    ? 'null'
    : kind === 'array'
      ? 'a list'
      : kind === 'object'
        ? 'an object'
        : `a ${kind === 'string' ? 'text' : kind}`;

function kindOf(value: unknown): ValueKind {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : (typeof value as ValueKind);
}

interface Node {
  readonly type: string;
  readonly value?: unknown;
  readonly name?: string;
  readonly prefix?: boolean;
  readonly argument?: Node;
  readonly quasis?: unknown;
}

/** Names that a cell declares at its top level. @throws InputError PARAMETERS_CELL where it is not TypeScript */
export async function readDeclarations(source: string, where: string): Promise<DeclaredParameter[]> {
  const [{ transform }, { parse }] = await Promise.all([import('esbuild'), import('acorn')]);
  let program: ReturnType<typeof parse>;
  try {
    // esbuild takes the types away and leaves all else as it is; imports and top-level await are allowed
    const { code } = await transform(source, {
      loader: 'ts',
      target: 'esnext',
      tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      logLevel: 'silent',
    });
    program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  } catch (cause) {
    throw new InputError(
      'PARAMETERS_CELL',
      `The cell with the parameters cannot be read: ${messageOf(cause)}`,
      {
        where,
        hint: 'It holds declarations alone, for example: let quick = false;',
        cause,
      },
    );
  }
  return program.body.flatMap((statement) => {
    if (statement.type !== 'VariableDeclaration') return [];
    return statement.declarations.flatMap(({ id, init }) => {
      if (id.type !== 'Identifier') return [];
      const annotation = annotationOf(source, id.name);
      const kind = annotation || !init ? undefined : literalKind(init as Node);
      return [{ name: id.name, annotation, kind }];
    });
  });
}

/** esbuild's message begins with a count of errors; the first of them says more. */
function messageOf(cause: unknown): string {
  const { errors } = cause as { readonly errors?: readonly { readonly text?: unknown }[] };
  const first = Array.isArray(errors) ? (errors[0] as { text?: unknown } | undefined)?.text : undefined;
  if (typeof first === 'string') return first;
  return (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]!;
}

function literalKind(node: Node): ValueKind | undefined {
  switch (node.type) {
    case 'Literal':
      return node.value === null || /^(boolean|number|string)$/.test(typeof node.value)
        ? kindOf(node.value)
        : undefined;
    case 'TemplateLiteral':
      return 'string';
    case 'UnaryExpression':
      return node.argument?.type === 'Literal' && typeof node.argument.value === 'number'
        ? 'number'
        : undefined;
    case 'ArrayExpression':
      return 'array';
    case 'ObjectExpression':
      return 'object';
    default:
      return undefined;
  }
}

/** What stands between `let NAME:` and its `=`, where that is one line. */
function annotationOf(source: string, name: string): string {
  const escaped = name.replace(/\$/g, '\\$&');
  const start = new RegExp(`^[ \\t]*(?:let|const|var)[ \\t]+${escaped}[ \\t]*:[ \\t]*`, 'm').exec(source);
  if (!start) return '';
  const rest = source.slice(start.index + start[0].length);
  let depth = 0;
  for (let i = 0; i < rest.length && rest[i] !== '\n'; i++) {
    const character = rest[i]!;
    if (depth === 0 && (character === ';' || (character === '=' && rest[i + 1] !== '>'))) {
      return rest.slice(0, i).trim();
    }
    if ('([{'.includes(character)) depth++;
    if (')]}'.includes(character)) depth--;
  }
  return '';
}
