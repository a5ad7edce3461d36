import { exportMissing } from '../modules/local-module.js';
import type { CellModules } from './engine.js';
import { restoreNames } from './error-text.js';

/** A variable of the notebook's top level. Code of all cells reads and writes `v`. */
export class Box {
  v: unknown = undefined;
}

/** All variables of the notebook, by name. */
export class Boxes {
  readonly names = Object.create(null) as Record<string, Box>;

  /** The variable of that name, `undefined` at first. */
  box(name: string): Box {
    return (this.names[name] ??= new Box());
  }

  /** The same for a cell that declares it: a name that was imported becomes a variable. */
  own(name: string): Box {
    const box = this.box(name);
    if (Object.getOwnPropertyDescriptor(box, 'v')?.get) {
      Object.defineProperty(box, 'v', { ...PLAIN, value: valueOf(box) });
    }
    return box;
  }

  /** The variable stands for an export of a module, and follows it. */
  link(name: string, namespace: Readonly<Record<string, unknown>>, imported: string): void {
    Object.defineProperty(this.box(name), 'v', {
      configurable: true,
      enumerable: true,
      get: () => namespace[imported],
      set: () => refuse(),
    });
  }

  /** Present value; undefined too where an imported name is not initialised. */
  value(name: string): unknown {
    const box = this.names[name];
    return box && valueOf(box);
  }

  clear(): void {
    for (const name of Object.keys(this.names)) delete this.names[name];
  }
}

const PLAIN = { configurable: true, enumerable: true, writable: true };

function valueOf(box: Box): unknown {
  try {
    return box.v;
  } catch {
    return undefined;
  }
}

function refuse(): never {
  throw new TypeError('Assignment to constant variable.');
}

/** What stands for a constant where a cell assigns it. */
const constant = Object.defineProperty({} as { v: unknown }, 'v', { get: () => undefined, set: refuse });

/** What the rewritten code of one cell calls; the names are those rewrite.ts writes. */
export class CellHooks {
  readonly #boxes: Boxes;
  readonly #modules: CellModules;
  readonly constant = constant;
  /** Value of the last statement. */
  value: unknown = undefined;
  /** How many of the names that were known before are declared anew. */
  step = 0;

  constructor(
    boxes: Boxes,
    modules: CellModules,
    readonly meta: object,
  ) {
    this.#boxes = boxes;
    this.#modules = modules;
  }

  get names(): Readonly<Record<string, Box>> {
    return this.#boxes.names;
  }

  box = (name: string): Box => this.#boxes.box(name);
  own = (name: string): Box => this.#boxes.own(name);
  link: Boxes['link'] = (...parameters) => this.#boxes.link(...parameters);

  /** @throws InputError MODULE_EXPORT_MISSING where the module lacks one of the names; nothing of the cell ran then */
  load = async (specifier: string, names: readonly string[]): Promise<Readonly<Record<string, unknown>>> => {
    const namespace = await this.#modules.importModule(specifier);
    const missing = names.find((name) => !(name in namespace));
    if (missing === undefined) return namespace;
    throw exportMissing(missing, specifier, 'the imports of this cell', Object.keys(namespace));
  };

  /** `import()`: what cannot be a specifier rejects, it does not throw. */
  import = async (specifier: unknown): Promise<unknown> => this.#modules.importModule(String(specifier));

  /** A `let`, `const` or class is used before its declaration was reached. */
  early = (name: string): never => {
    throw new ReferenceError(`Cannot access '${name}' before initialization`);
  };

  restore = restoreNames;

  missing = (name: string): never => {
    throw new ReferenceError(`${name} is not defined`);
  };
}
