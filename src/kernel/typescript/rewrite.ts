import { Parser, type Identifier, type Program } from 'acorn';
import { analyze, type Reference, type Variable } from 'eslint-scope';
import type { NameKind } from './declarations.js';
import { Edits } from './edits.js';
import { captureValue, moduleStatements } from './module-statements.js';
import { rewriteReferences, rewriteUnknown } from './references.js';
import { survey, type Survey } from './survey.js';
import { uninitialised } from './temporal-dead-zone.js';

export interface CellCode {
  /** JavaScript of the cell as an ES module, types taken out. */
  readonly js: string;
  /** Identifiers of the cell as typed: variables that are not among them are the compiler's own. */
  readonly identifiers: ReadonlySet<string>;
  readonly kinds: ReadonlyMap<string, NameKind>;
  /** Enums and namespaces, which start anew. */
  readonly resets: ReadonlySet<string>;
  /** The last statement is an expression whose value is wanted. */
  readonly hasValue: boolean;
  /** Imported names that are types and nothing at run time. */
  readonly typeImports: ReadonlySet<string>;
  /** Names that earlier cells declared. */
  readonly known: ReadonlyMap<string, NameKind>;
}

export interface RewrittenCell {
  /** A function expression; its parameters are the hooks (hooks.ts), `require`, `__dirname` and `__filename`. */
  readonly code: string;
  /** Where its parts come from: edits.ts. */
  readonly segments: readonly number[];
  readonly isAsync: boolean;
  readonly hasValue: boolean;
  /** Name of the hooks in `code`; names of boxes begin with it. */
  readonly prefix: string;
  /** What the cell declares at run time. */
  readonly names: ReadonlyMap<string, NameKind>;
  /** Names that were known before, and the step of the cell with which they are declared anew. */
  readonly redeclared: readonly (readonly [name: string, step: number])[];
}

/** State of one rewriting, shared by its parts. */
export interface Rewriting {
  readonly cell: CellCode;
  readonly program: Program;
  readonly found: Survey;
  readonly edits: Edits;
  readonly prefix: string;
  /** Statements before the cell's own. */
  readonly header: string[];
  /** Variables of the cell's top level. */
  readonly declared: ReadonlyMap<string, Variable>;
  /** Expression and target that is the variable: `$$x.v`. */
  box(name: string): string;
  /** Name of a new variable of the function. */
  fresh(): string;
  /** Expressions that say that the declarations of these names were reached; none where nobody asks. */
  reached(names: readonly string[]): string[];
}

/**
 * Names of the top level become fields of boxes that all cells share: `let a = 1; f(a)` turns into
 * `($$a.v = 1); (0, $$f.v)($$a.v)`. So closures see what later cells assign, and names can be declared again.
 * @throws SyntaxError of acorn, with `pos`, where the code breaks a rule that TypeScript's parser does not check
 */
export function rewriteCell(cell: CellCode): RewrittenCell {
  const program = CellParser.parse(cell.js, { ecmaVersion: 'latest', sourceType: 'module', ranges: true });
  const found = survey(program);
  const scopes = analyze(program as unknown as Parameters<typeof analyze>[0], {
    ecmaVersion: 2022,
    sourceType: 'module',
    // what a direct eval declares stays in it: modules are strict
    ignoreEval: true,
  });
  const variables = scopes.scopes
    .find(({ type }) => type === 'module')!
    .variables.filter(({ name }) => cell.identifiers.has(name) && !cell.typeImports.has(name));
  const declared = new Map(variables.map((variable) => [variable.name, variable]));
  const late = uninitialised(variables, found);
  const prefix = freePrefix(cell.js);
  const boxes = new Set(declared.keys());
  const header: string[] = [];
  const redeclared: (readonly [string, number])[] = [];
  let freshCount = 0;
  let step = 0;
  const fresh = (): string => `${prefix}${freshCount++}`;
  const flags = new Map([...late.keys()].map((name) => [name, fresh()]));
  const rewriting: Rewriting = {
    cell,
    program,
    found,
    edits: new Edits(cell.js),
    prefix,
    header,
    declared,
    fresh,
    box(name) {
      boxes.add(name);
      return `${prefix}${name}.v`;
    },
    reached(names) {
      const code = names.flatMap((name) => (flags.has(name) ? [`${flags.get(name)} = true`] : []));
      const again = names.filter((name) => cell.known.has(name));
      if (again.length === 0) return code;
      step++;
      for (const name of again) redeclared.push([name, step]);
      return [...code, `${prefix}.step = ${step}`];
    },
  };

  const functions = moduleStatements(rewriting);
  for (const [name, variable] of declared) {
    const references = late.get(name);
    rewriteReferences(rewriting, variable.references, name, {
      declarations: new Set(variable.identifiers as unknown as Identifier[]),
      isConstant: isConstant(variable),
      ...(references && { late: { references, flag: flags.get(name)! } }),
    });
  }
  for (const [name, references] of byName(scopes.globalScope!.through)) {
    const kind = cell.known.get(name);
    if (kind) {
      rewriteReferences(rewriting, references, name, { isConstant: kind === 'const' || kind === 'import' });
    } else if (!builtins.has(name)) {
      rewriteUnknown(rewriting, references, name);
    }
  }
  rewriteModuleWords(rewriting);
  const hashbang = /^#!.*/.exec(cell.js);
  if (hashbang) rewriting.edits.replace(0, hashbang[0].length, '');
  const hasValue = cell.hasValue && captureValue(rewriting);

  const isAsync = found.awaits || header.some((statement) => statement.includes('= await '));
  const opening = [
    ...[...boxes].map((name) => {
      const method = declared.has(name) ? 'own' : 'box';
      return `const ${prefix}${name} = ${prefix}.${method}(${JSON.stringify(name)});`;
    }),
    ...[...flags.values()].map((flag) => `let ${flag} = false;`),
    ...functions,
    ...header,
  ].join(' ');
  const { text, segments } = rewriting.edits.apply(
    `(${isAsync ? 'async ' : ''}function __cell(${prefix}, require, __dirname, __filename) {"use strict"; ${opening} `,
    '\n})',
  );
  return {
    code: text,
    segments,
    isAsync,
    hasValue,
    prefix,
    names: new Map(variables.map(({ name }) => [name, cell.kinds.get(name) ?? 'var'])),
    redeclared,
  };
}

/** An export may name a variable of an earlier cell. */
const CellParser = Parser.extend(
  (Base) =>
    class extends Base {
      checkLocalExport(): void {}
    },
);

/** What every cell finds without a declaration, and what the function's parameters bring. */
const builtins = new Set([...Object.getOwnPropertyNames(globalThis), 'require', '__dirname', '__filename']);

const isConstant = ({ defs }: Variable): boolean =>
  defs.some(
    (definition) =>
      definition.type === 'ImportBinding' ||
      (definition.type === 'Variable' && definition.parent.kind === 'const'),
  );

function byName(references: readonly Reference[]): Map<string, Reference[]> {
  const groups = new Map<string, Reference[]>();
  for (const reference of references) {
    const { name } = reference.identifier;
    const group = groups.get(name);
    if (group) group.push(reference);
    else groups.set(name, [reference]);
  }
  return groups;
}

/** `this` of a module is undefined; `import.meta` and `import()` are the notebook's, not the kernel's. */
function rewriteModuleWords({ found, edits, prefix }: Rewriting): void {
  const { tops, metas, dynamicImports, catches } = found;
  for (const { start, end } of tops) edits.replace(start, end, '(void 0)');
  for (const { start, end } of metas) edits.replace(start, end, `${prefix}.meta`);
  for (const { start } of dynamicImports) edits.replace(start, start + 'import'.length, `${prefix}.import`);
  // V8 may have quoted rewritten code in the error's message
  for (const { name, body } of catches)
    edits.replace(body.start, body.start + 1, `{ ${prefix}.restore(${name});`);
}

/** `$$`, or as many as keep it apart from the cell's own names. */
function freePrefix(js: string): string {
  let prefix = '$$';
  while (js.includes(prefix)) prefix += '$';
  return prefix;
}
