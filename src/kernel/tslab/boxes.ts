/** A variable that all cells share, under its name. The cell that declared it last says how it is read and set. */
export class Box {
  read: () => unknown;
  write: (value: unknown) => void;
  isDeclared = false;
  /** Declared, and no import: one of the notebook's variables. */
  isVariable = false;

  constructor(read: () => unknown, write: (value: unknown) => void) {
    this.read = read;
    this.write = write;
  }

  // cells use `v`: an accessor over functions in fields keeps its speed when the functions change
  get v(): unknown {
    return this.read();
  }

  set v(value: unknown) {
    this.write(value);
  }

  /** For `typeof`, which never throws. */
  get peek(): unknown {
    try {
      return this.read();
    } catch {
      return undefined;
    }
  }
}

export type Access = readonly [read: () => unknown, write?: (value: unknown) => void];

type BoxState = Pick<Box, 'read' | 'write' | 'isDeclared' | 'isVariable'>;

/** What names were before a cell declared them anew. */
export type Before = ReadonlyMap<string, BoxState>;

/** The variables of a notebook. */
export class Boxes {
  readonly #boxes = new Map<string, Box>();

  /** The box of a name; before a cell declares it, it stands for the global of that name. */
  get(name: string): Box {
    let box = this.#boxes.get(name);
    if (box === undefined) {
      const globals = globalThis as unknown as Record<string, unknown>;
      box = new Box(
        () => {
          if (name in globals) return globals[name];
          throw new ReferenceError(`${name} is not defined`);
        },
        (value) => {
          if (!(name in globals)) throw new ReferenceError(`${name} is not defined`);
          globals[name] = value;
        },
      );
      this.#boxes.set(name, box);
    }
    return box;
  }

  /**
   * Names that a cell declares, as it begins.
   * @returns what the names were before
   */
  connect(accesses: Readonly<Record<string, Access>>, imported: ReadonlySet<string>): Before {
    const before = new Map<string, BoxState>();
    for (const [name, [read, write]] of Object.entries(accesses)) {
      const box = this.get(name);
      before.set(name, {
        read: box.read,
        write: box.write,
        isVariable: box.isVariable,
        isDeclared: box.isDeclared,
      });
      Object.assign(box, { read, write: write ?? refuse, isVariable: !imported.has(name), isDeclared: true });
    }
    return before;
  }

  /**
   * A failed cell may have declared names that it never came to: they stay what they were, or are undefined.
   * @returns the names that stay what they were
   */
  settle(before: Before): string[] {
    const kept: string[] = [];
    for (const [name, state] of before) {
      const box = this.get(name);
      if (isInitialized(box)) continue;
      if (state.isDeclared) {
        Object.assign(box, state);
        kept.push(name);
        continue;
      }
      let value: unknown;
      box.read = () => value;
      box.write = (next) => void (value = next);
    }
    return kept;
  }

  /** Names of a cell that failed before it declared anything: those that are not there yet are undefined. */
  declare(names: Iterable<string>): void {
    for (const name of names) {
      const box = this.get(name);
      if (box.isDeclared) continue;
      let value: unknown;
      Object.assign(box, {
        read: () => value,
        write: (next: unknown) => void (value = next),
        isDeclared: true,
      });
    }
  }

  variables(): Map<string, unknown> {
    const variables = new Map<string, unknown>();
    for (const [name, box] of this.#boxes) {
      if (box.isVariable && isInitialized(box)) variables.set(name, box.read());
    }
    return variables;
  }
}

/** A variable whose declaration has not run throws when it is read. */
function isInitialized(box: Box): boolean {
  try {
    box.read();
    return true;
  } catch (error) {
    if (error instanceof ReferenceError) return false;
    throw error;
  }
}

function refuse(): never {
  throw new TypeError('Assignment to constant variable.');
}
