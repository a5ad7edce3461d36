import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildProgram, commandNames, forEachCommand } from '../../src/cli/program.js';
import { gondwana } from '../support/command-line.js';
import { root } from '../support/needs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-snippets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const guides = readdirSync(path.join(root, 'docs', 'guide')).map((name) => path.join('docs', 'guide', name));
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

describe('the study in docs/guide/studies.md', () => {
  it('can be planned as it stands: one encoder, three learning rates, three seeds', async () => {
    const snippet = /```ts\n([\s\S]+?)```/.exec(read('docs/guide/studies.md'))![1]!;
    const file = path.join(folder, 'my-study.ts');
    writeFileSync(file, snippet);
    const { code, stdout, stderr } = await gondwana(['run', file, '--dry-run', '--json'], { cwd: folder });
    expect(code, stderr).toBe(0);
    const plan = JSON.parse(stdout) as { study: string; total: number };
    expect(plan.study).toBe('crowns-learning-rate');
    expect(plan.total).toBe(3 * 3 + 2); // and a trivial predictor for each of two classes
  });
});

describe('command lines in the documents', () => {
  const program = buildProgram('0', () => undefined);
  const names = commandNames(program);
  const options = new Set<string>();
  forEachCommand(program, (command) => {
    for (const option of command.options) options.add(option.long!);
  });

  it.each(['README.md', ...guides])('%s names commands and options that exist', (file) => {
    const lines = [...read(file).matchAll(/(?:npx gondwana|`gondwana) ([^`#\n;]+)/g)].map((match) =>
      match[1]!.trim(),
    );
    for (const line of lines) {
      const words = line.split(/\s+/);
      const isKnown = names.includes(words[0]!) || names.includes(words.slice(0, 2).join(' '));
      const isGeneral = line.startsWith('--') || line.startsWith('COMMAND');
      expect(isKnown || isGeneral, line).toBe(true);
      const unknown = words.filter(
        (word) => word.startsWith('--') && !['--help', '--version'].includes(word) && !options.has(word),
      );
      expect(unknown, line).toEqual([]);
    }
  });
});
