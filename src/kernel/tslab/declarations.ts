import type * as TS from '@tslab/typescript-for-tslab';
import type { TypeScript } from './package.js';

/** A declaration of an earlier cell, as a statement of a `.d.ts`. */
interface Declaration {
  readonly name: string;
  readonly isValue: boolean;
  readonly isType: boolean;
  readonly text: string;
  /** What it was in the cell, for `??`; undefined where the cell has no such statement. */
  readonly source: string | undefined;
}

/**
 * What earlier cells declared. tslab keeps this as text too, but forgets namespaces, and lets values of a class that
 * was declared again take the new class's type.
 */
export class Declarations {
  readonly #ts: TypeScript;
  #entries: readonly Declaration[] = [];
  #text: string | undefined;
  #renamed = 0;

  constructor(ts: TypeScript) {
    this.#ts = ts;
  }

  /** As the compiler sees it in front of the next cell. */
  get text(): string {
    this.#text ??= this.#entries.map(({ text }) => `${text}\n`).join('');
    return this.#text;
  }

  sourceOf(name: string): string | undefined {
    return this.#entries.find((entry) => entry.name === name && entry.source !== undefined)?.source;
  }

  /**
   * @param text the `.d.ts` of a cell
   * @param sources its statements by the names they declare
   * @param kept values that the cell did not come to declare: they stay what they were
   */
  add(text: string, sources: ReadonlyMap<string, string>, kept: readonly string[] = []): void {
    const added = this.#read(text, sources).filter(({ name, isValue }) => !(isValue && kept.includes(name)));
    if (added.length === 0) return;
    let entries = this.#entries;
    for (const name of new Set(added.map((entry) => entry.name))) {
      entries = this.#replaced(
        entries,
        name,
        added.filter((entry) => entry.name === name),
      );
    }
    this.#entries = [...entries, ...added];
    this.#text = undefined;
  }

  /** The entries that are left when a name is declared anew. */
  #replaced(
    entries: readonly Declaration[],
    name: string,
    by: readonly Declaration[],
  ): readonly Declaration[] {
    const old = entries.filter((entry) => entry.name === name);
    if (old.length === 0) return entries;
    const others = entries.filter((entry) => entry.name !== name);
    const takesValue = by.some(({ isValue }) => isValue);
    const takesType = by.some(({ isType }) => isType);
    const oldType = old.filter(({ isType }) => isType);
    const kept = old.filter(({ isValue, isType }) => !(isValue && takesValue) && !(isType && takesType));
    // a class whose type is taken over stays there as a value, one that lost its value is forgotten as a type
    const loses = takesType && !takesValue && old.some((entry) => entry.isValue && !kept.includes(entry));
    const value = loses ? [valueOnly(name)] : [];
    const isSame =
      oldType.map(({ text }) => text).join() ===
      by
        .filter(({ isType }) => isType)
        .map(({ text }) => text)
        .join();
    const isNeeded =
      takesType && oldType.length > 0 && !isSame && others.some(({ text }) => this.#mentions(text, name));
    if (!isNeeded) return [...others, ...kept, ...value];
    // variables of the old type keep it, under another name
    const other = `${name}_${++this.#renamed}`;
    const rename = (entry: Declaration): Declaration => ({
      ...entry,
      text: this.#renameType(entry.text, name, other),
    });
    const oldOnes = oldType.map((entry) => ({ ...rename(entry), name: other, source: undefined }));
    return [...oldOnes, ...others.map(rename), ...kept, ...value];
  }

  #read(text: string, sources: ReadonlyMap<string, string>): Declaration[] {
    const ts = this.#ts;
    const file = this.#parse(text);
    const entries: Declaration[] = [];
    const add = (name: string, isValue: boolean, isType: boolean, declaration: string): void => {
      entries.push({ name, isValue, isType, text: declaration, source: sources.get(name) });
    };
    for (const statement of file.statements) {
      const whole = statement.getFullText(file).trim();
      if (ts.isVariableStatement(statement)) {
        const { declarationList } = statement;
        const keyword = declarationList.flags & ts.NodeFlags.Const ? 'const' : 'let';
        const comment = statement
          .getFullText(file)
          .slice(0, statement.getLeadingTriviaWidth(file))
          .trimStart();
        for (const declaration of declarationList.declarations) {
          add(
            declaration.name.getText(file),
            true,
            false,
            `${comment}declare ${keyword} ${declaration.getText(file)};`,
          );
        }
      } else if (ts.isFunctionDeclaration(statement) && statement.name) {
        add(statement.name.text, true, false, whole);
      } else if (ts.isClassDeclaration(statement) && statement.name) {
        add(statement.name.text, true, true, whole);
      } else if (ts.isEnumDeclaration(statement)) {
        add(statement.name.text, true, true, whole);
      } else if (ts.isModuleDeclaration(statement)) {
        const isGlobal =
          !ts.isIdentifier(statement.name) || (statement.flags & ts.NodeFlags.GlobalAugmentation) !== 0;
        add(isGlobal ? `declare ${statement.name.text}` : statement.name.text, !isGlobal, true, whole);
      } else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) {
        add(statement.name.text, false, true, whole);
      } else if (ts.isImportDeclaration(statement)) {
        for (const [name, isType, declaration] of this.#imports(statement, file)) {
          add(name, !isType, true, declaration);
        }
      } else if (ts.isImportEqualsDeclaration(statement)) {
        add(statement.name.text, true, true, whole);
      }
    }
    return entries;
  }

  /** Each imported name as an import of its own. */
  *#imports(statement: TS.ImportDeclaration, file: TS.SourceFile): Generator<[string, boolean, string]> {
    const ts = this.#ts;
    const { importClause: clause, moduleSpecifier } = statement;
    if (clause === undefined) return;
    const from = `from ${moduleSpecifier.getText(file)};`;
    const type = clause.isTypeOnly ? 'type ' : '';
    if (clause.name) yield [clause.name.text, clause.isTypeOnly, `import ${type}${clause.name.text} ${from}`];
    const bindings = clause.namedBindings;
    if (bindings && ts.isNamespaceImport(bindings)) {
      yield [bindings.name.text, clause.isTypeOnly, `import ${type}* as ${bindings.name.text} ${from}`];
    } else {
      for (const element of bindings?.elements ?? []) {
        const isType = clause.isTypeOnly || element.isTypeOnly;
        yield [element.name.text, isType, `import ${type}{ ${element.getText(file)} } ${from}`];
      }
    }
  }

  #parse(text: string): TS.SourceFile {
    return this.#ts.createSourceFile('declarations.d.ts', text, this.#ts.ScriptTarget.Latest, true);
  }

  #mentions(text: string, name: string): boolean {
    return text.includes(name) && this.#placesOf(text, name).length > 0;
  }

  #renameType(text: string, name: string, other: string): string {
    if (!text.includes(name)) return text;
    let renamed = text;
    for (const [start, end] of this.#placesOf(text, name).reverse()) {
      renamed = renamed.slice(0, start) + other + renamed.slice(end);
    }
    return renamed;
  }

  /** Where a declaration names a type (or declares it): not its properties and parameters of that name. */
  #placesOf(text: string, name: string): [number, number][] {
    const ts = this.#ts;
    const file = this.#parse(text);
    const places: [number, number][] = [];
    const visit = (node: TS.Node): void => {
      if (ts.isIdentifier(node) && node.text === name && isUse(node))
        places.push([node.getStart(file), node.end]);
      ts.forEachChild(node, visit);
    };
    const isUse = (node: TS.Identifier): boolean => {
      const { parent } = node;
      if (
        ts.isTypeReferenceNode(parent) ||
        ts.isTypeQueryNode(parent) ||
        ts.isExpressionWithTypeArguments(parent)
      )
        return true;
      if (ts.isQualifiedName(parent)) return parent.left === node;
      if (ts.isTypePredicateNode(parent)) return parent.type === (node as TS.Node);
      const isDeclaration =
        ts.isClassDeclaration(parent) ||
        ts.isInterfaceDeclaration(parent) ||
        ts.isTypeAliasDeclaration(parent);
      return (
        (isDeclaration || ts.isEnumDeclaration(parent) || ts.isModuleDeclaration(parent)) &&
        parent.name === node
      );
    };
    visit(file);
    return places;
  }
}

const valueOnly = (name: string): Declaration => ({
  name,
  isValue: true,
  isType: false,
  text: `declare let ${name}: any;`,
  source: undefined,
});
