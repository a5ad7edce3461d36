import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import vm from 'node:vm';
import {
  exportMissing,
  topLevelAwait,
  type LocalModule,
  type LocalScript,
  type ModuleHost,
} from './local-module.js';
import { stampOf } from './stamp.js';
import { toModuleFunction } from './module-function.js';
import { addName, emptyNamespace, type Namespace } from './native.js';
import { transpile, transpileSync, type Transpiled } from './transpile.js';

/**
 * Local TypeScript files as ES modules: one instance for all importers, live bindings, cycles, top-level await.
 * They are functions of our own, not modules of Node, so that an edited file can be loaded anew.
 */
export class LocalModules {
  readonly #host: ModuleHost;
  readonly #modules = new Map<string, LocalModule>();
  readonly #pending = new Map<string, Promise<LocalModule>>();
  readonly #scripts = new Map<string, LocalScript>();
  readonly #versions = new Map<string, number>();
  /** Sources that are no files: cells with a module name. */
  readonly #virtual = new Map<string, string>();

  constructor(host: ModuleHost) {
    this.#host = host;
  }

  async import(file: string): Promise<Namespace> {
    const module = await this.#loadGraph(file);
    this.#link(module);
    await this.#evaluate(module);
    return module.namespace;
  }

  /** @throws InputError MODULE_TOP_LEVEL_AWAIT where a module of the graph waits for something */
  require(file: string): Namespace {
    const module = this.#loadGraphSync(file);
    this.#link(module);
    this.#evaluateSync(module);
    return module.namespace;
  }

  script(name: string): LocalScript | undefined {
    return this.#scripts.get(name);
  }

  isVirtual(file: string): boolean {
    return this.#virtual.has(file);
  }

  define(file: string, source: string): void {
    this.#virtual.set(file, source);
    this.#forget(new Set([file]));
  }

  /** Forgets modules whose file changed, and all that import them. @param alsoChanged files run by others */
  forgetChanged(alsoChanged: ReadonlySet<string>): void {
    const changed = new Set(alsoChanged);
    for (const { file, stamp } of this.#modules.values()) {
      if (stampOf(file) !== stamp && !this.#virtual.has(file)) changed.add(file);
    }
    if (changed.size > 0) this.#forget(changed);
  }

  /** Forgets modules that were stopped in the middle: nobody would ever finish them. */
  forgetUnfinished(): void {
    const unfinished = [...this.#modules.values()].filter(({ state }) => state === 'evaluating');
    if (unfinished.length > 0) this.#forget(new Set(unfinished.map(({ file }) => file)));
  }

  #forget(changed: Set<string>): void {
    let size: number;
    do {
      size = changed.size;
      for (const { file, dependencies } of this.#modules.values()) {
        for (const { file: imported } of dependencies.values()) {
          if (imported !== undefined && changed.has(imported)) changed.add(file);
        }
      }
    } while (changed.size > size);
    for (const file of changed) this.#modules.delete(file);
  }

  /** Loads a module and all local ones it imports, level by level; nothing runs yet. */
  async #loadGraph(file: string): Promise<LocalModule> {
    const seen = new Set([file]);
    const root = await this.#load(file);
    for (let level = newDependencies(root, seen); level.length > 0;) {
      const modules = await Promise.all(level.map((name) => this.#load(name)));
      level = modules.flatMap((module) => newDependencies(module, seen));
    }
    return root;
  }

  #loadGraphSync(file: string): LocalModule {
    const seen = new Set([file]);
    const queue = [file];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const options = this.#host.compilerOptions();
      const module =
        this.#modules.get(name) ?? this.#add(name, (source) => transpileSync(source, name!, options));
      queue.push(...newDependencies(module, seen));
    }
    return this.#modules.get(file)!;
  }

  async #load(file: string): Promise<LocalModule> {
    const known = this.#modules.get(file);
    if (known) return known;
    let pending = this.#pending.get(file);
    if (pending === undefined) {
      pending = this.#read(file).finally(() => this.#pending.delete(file));
      this.#pending.set(file, pending);
    }
    return pending;
  }

  async #read(file: string): Promise<LocalModule> {
    for (;;) {
      const stamp = stampOf(file);
      const source = this.#virtual.get(file) ?? (await readFile(file, 'utf8'));
      const transpiled = await transpile(source, file, this.#host.compilerOptions());
      const known = this.#modules.get(file);
      if (known) return known;
      // edited meanwhile: whoever asks now asks for what it has become
      if (stampOf(file) === stamp) return this.#add(file, () => transpiled, source, stamp);
    }
  }

  #add(
    file: string,
    translate: (source: string) => Transpiled,
    source = this.#virtual.get(file) ?? readFileSync(file, 'utf8'),
    stamp = stampOf(file),
  ): LocalModule {
    const body = toModuleFunction(translate(source));
    const dependencies = new Map(
      body.specifiers.map((specifier) => [specifier, this.#host.resolve(specifier, file)]),
    );
    const version = (this.#versions.get(file) ?? 0) + 1;
    this.#versions.set(file, version);
    const module: LocalModule = {
      file,
      script: version === 1 ? file : `${file}?${version}`,
      source,
      stamp,
      body,
      dependencies,
      namespace: emptyNamespace(),
      imports: [],
      links: [],
      state: 'loaded',
    };
    this.#modules.set(file, module);
    this.#scripts.set(module.script, { file, source, body });
    return module;
  }

  /** Gives every module of the graph its imports and its exports, before any of them runs. */
  #link(module: LocalModule): void {
    if (module.state !== 'loaded') return;
    module.state = 'linked';
    const { body, dependencies, namespace, imports, links } = module;
    body.specifiers.forEach((specifier, index) => {
      const dependency = dependencies.get(specifier)!;
      if (dependency.kind !== 'module') return;
      // missing only where it was forgotten since the graph was loaded
      const imported = this.#modules.get(dependency.file) ?? this.#loadGraphSync(dependency.file);
      links[index] = imported;
      imports[index] = imported.namespace;
      this.#link(imported);
    });
    for (const [name, source] of body.exported) {
      if (source.kind === 'local') continue;
      const index = body.specifiers.indexOf(source.specifier);
      const { imported } = source;
      addName(namespace, name, () => (imported === undefined ? imports[index] : imports[index]?.[imported]));
    }
    const script = new vm.Script(body.code, { filename: module.script });
    const start = script.runInThisContext() as (...given: unknown[]) => Generator | AsyncGenerator;
    module.steps = start.call(
      undefined,
      imports,
      (getters: Readonly<Record<string, () => unknown>>) => {
        for (const [name, get] of Object.entries(getters)) addName(namespace, name, get);
      },
      (specifier: unknown) => this.#host.import(String(specifier), module.file),
      this.#host.metaOf(module.file),
      this.#host.requireOf(module.file),
      module.file,
      path.dirname(module.file),
    );
    void module.steps.next(); // functions exist from here on, also an async generator runs to its first yield at once
    for (const specifier of body.stars) this.#star(module, body.specifiers.indexOf(specifier));
  }

  /** `export * from`: names of the other module that this one does not export itself, without its default. */
  #star({ body, namespace, imports }: LocalModule, index: number): void {
    const source = imports[index];
    for (const name of Object.keys(source ?? {})) {
      if (name !== 'default' && !body.exported.has(name)) addName(namespace, name, () => source![name]);
    }
  }

  async #evaluate(module: LocalModule): Promise<void> {
    if (module.state === 'linked') module.evaluation = this.#run(module);
    await module.evaluation;
  }

  async #run(module: LocalModule): Promise<void> {
    module.state = 'evaluating';
    try {
      for (const [index, specifier] of module.body.specifiers.entries()) {
        const dependency = module.links[index];
        if (dependency) await this.#evaluateDependency(module, dependency);
        else module.imports[index] = await this.#host.import(specifier, module.file);
      }
      this.#check(module);
      await module.steps!.next();
      this.#finish(module);
    } catch (error) {
      this.#forget(new Set([module.file])); // the next import tries again
      throw error;
    }
  }

  /** Waits for another module, unless that one waits for this one: a cycle, in which the first to come runs first. */
  async #evaluateDependency(module: LocalModule, dependency: LocalModule): Promise<void> {
    for (let at: LocalModule | undefined = dependency; at !== undefined; at = at.waitsFor) {
      if (at === module) return;
    }
    module.waitsFor = dependency;
    try {
      await this.#evaluate(dependency);
    } finally {
      delete module.waitsFor;
    }
  }

  #evaluateSync(module: LocalModule): void {
    if (module.state !== 'linked') return;
    module.state = 'evaluating';
    try {
      if (module.body.isAsync) throw topLevelAwait(module.file);
      for (const [index, specifier] of module.body.specifiers.entries()) {
        const dependency = module.links[index];
        if (dependency) this.#evaluateSync(dependency);
        else module.imports[index] = this.#host.require(specifier, module.file);
      }
      this.#check(module);
      void module.steps!.next();
      this.#finish(module);
    } catch (error) {
      this.#forget(new Set([module.file]));
      throw error;
    }
  }

  /** What is imported must be exported; `undefined` would surface far away. */
  #check(module: LocalModule): void {
    const { file, body, imports, links } = module;
    for (const specifier of body.stars) {
      const index = body.specifiers.indexOf(specifier);
      if (links[index] === undefined) this.#star(module, index);
    }
    for (const { specifier, name } of body.used) {
      const namespace = imports[body.specifiers.indexOf(specifier)]!;
      if (!(name in namespace)) throw exportMissing(name, specifier, file, Object.keys(namespace));
    }
  }

  #finish(module: LocalModule): void {
    module.state = 'evaluated';
    delete module.evaluation;
    delete module.steps;
    Object.freeze(module.namespace);
  }
}

function newDependencies({ dependencies }: LocalModule, seen: Set<string>): string[] {
  const files: string[] = [];
  for (const dependency of dependencies.values()) {
    if (dependency.kind !== 'module' || seen.has(dependency.file)) continue;
    seen.add(dependency.file);
    files.push(dependency.file);
  }
  return files;
}
