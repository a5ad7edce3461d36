import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { execute } from '../support/command-line.js';
import { root } from '../support/needs.js';

/** Files and packages that a declaration file reaches, each with the way to it. */
function reach(entry: string): { files: string[]; packages: Map<string, string> } {
  const files: string[] = [];
  const packages = new Map<string, string>();
  const waiting: { file: string; way: string }[] = [{ file: entry, way: '' }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { file, way } = next;
    if (files.includes(file)) continue;
    files.push(file);
    const here = `${way} → ${path.relative(root, file)}`;
    const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    for (const [, name] of code.matchAll(/(?:from |import\(|import )['"]([^'"]+)['"]/g)) {
      if (name!.startsWith('.')) {
        waiting.push({ file: path.resolve(path.dirname(file), name!.replace(/\.js$/, '.d.ts')), way: here });
      } else if (!packages.has(name!)) {
        packages.set(name!, here);
      }
    }
  }
  return { files, packages };
}

describe('the public types', () => {
  const { files, packages } = reach(path.join(root, 'dist', 'index.d.ts'));

  it('are all there', () => {
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
  });

  it('mention of the packages Arquero alone: those of TensorFlow.js, Vega-Lite and zod slow every notebook cell', () => {
    const others = [...packages].filter(([name]) => name !== 'arquero' && !name.startsWith('node:'));
    expect(others).toEqual([]);
  });

  it('say Float32Array and not a form that TypeScript 5.0, which notebooks have, reads as any', () => {
    const newer = files.flatMap((file) =>
      [
        ...readFileSync(file, 'utf8').matchAll(/\b(?:Float|Int|Uint|Uint8Clamped)\w*Array<\w+>|\bNoInfer</g),
      ].map((match) => `${path.relative(root, file)}: ${match[0]}`),
    );
    expect(newer).toEqual([]);
  });
});

describe('the package', () => {
  it('can be required, so no static import of it awaits at the top level', async () => {
    const script = `const g = require('gondwana'); console.log(typeof g.defineStudy, require('gondwana/package.json').name)`;
    const { code, stdout, stderr } = await execute(process.execPath, ['-e', script], { cwd: root });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout.trim()).toBe('function gondwana');
  });

  it('is one and the same for require and import', async () => {
    const script = `import('gondwana').then((m) => console.log(m.defineStudy === require('gondwana').defineStudy))`;
    const { stdout } = await execute(process.execPath, ['-e', script], { cwd: root });
    expect(stdout.trim()).toBe('true');
  });

  it('loads no engine until something is computed', async () => {
    const script = `import('gondwana').then(() => console.log(Object.keys(require('module')._cache).filter((f) => /@tensorflow|danfojs|vega/.test(f)).length))`;
    const { stdout } = await execute(process.execPath, ['-e', script], { cwd: root });
    expect(stdout.trim()).toBe('0');
  });
});
