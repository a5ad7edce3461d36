import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { jupyter, root } from '../support/needs.js';
import { executeNotebook, isAlive, readNotebook, textOf, type Notebook } from '../support/notebook.js';

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-shipped-'));
afterAll(() => rmSync(folder, { recursive: true }));

const notebooks = readdirSync(path.join(root, 'notebooks'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ipynb') && !name.includes('.ipynb_checkpoints'))
  .sort();

const sourcesOf = ({ cells }: Notebook): string[] =>
  cells.filter((cell) => cell.cell_type === 'code').map((cell) => textOf(cell.source));

/** Magics, and globals of the kernel that are not imported: plain tslab has neither. */
function usesKernelExtras(notebook: Notebook): boolean {
  const code = sourcesOf(notebook).join('\n');
  if (/^\s*[%!]|^\s*\?\w|\?\s*$/m.test(code)) return true;
  const imported = [...code.matchAll(/import\s*\{([^}]*)\}/g)].map((match) => match[1]!).join();
  return ['display', 'clearOutput', 'input', 'progress', 'kernel'].some(
    (name) => new RegExp(`(?<![.\\w])${name}[.(]`).test(code) && !new RegExp(`\\b${name}\\b`).test(imported),
  );
}

/** Figures that a reader of the paper looks for, as the notebook shows them. */
const figures: Readonly<Record<string, readonly string[]>> = {
  'explore-results.ipynb': ['Standard deviation over seeds', 'clay-v1-base'],
  'geo-bench-2-leaderboard.ipynb': ['77.80', '25.6 %', 'linear decoder'], // Clay on Core, swapped pairs
  'geo-bench-figures.ipynb': ['**5** of 6', '0.881', 'Figures 2 to 9'], // ResNet-101 with DeepLabV3
  'pangaea-tables.ipynb': ['42 of 42', 'Figure 5 (loss curves)'], // #Top2
};

/** A reader's table of runs. On tslab the notebooks of results read it, on gondwana they run without. */
const ownRuns = path.join(folder, 'own.csv');
writeFileSync(
  ownRuns,
  ['gb2-kuro-siwo', 'gb2-caffe', 'm-pv4ger-seg', 'hls-burn-scars']
    .flatMap((dataset) =>
      ['own-a', 'own-b'].flatMap((model, i) =>
        [0, 1, 2].map((seed) => {
          const score = (0.6 + 0.1 * i + 0.01 * seed) * (dataset === 'hls-burn-scars' ? 100 : 1);
          return `${model},${dataset},${seed},${dataset.startsWith('m-') ? 'IoU' : 'mIoU'},${score.toFixed(3)}`;
        }),
      ),
    )
    .toSpliced(0, 0, 'model,dataset,seed,metric,score')
    .join('\n'),
);

/** gondwana comes first: what plain tslab then finds in the store it does not compute once more. */
const runs = notebooks.flatMap((name) => {
  const extras = usesKernelExtras(readNotebook(path.join(root, 'notebooks', name)));
  return (extras ? ['gondwana'] : ['gondwana', 'tslab']).map((kernel) => [name, kernel] as const);
});

describe.skipIf(!jupyter.isMet)('a shipped notebook, executed by nbclient with quick = true', () => {
  it.each(runs)('%s runs on the kernel %s', async (name, kernel) => {
    const own = path.join(root, 'notebooks', name);
    const notebook = readNotebook(own);
    const kernelspec = { name: kernel, display_name: kernel, language: 'typescript' };
    const stem = name.replace(/[/\\]/g, '-').replace(/\.ipynb$/, '');
    const source = path.join(folder, `${stem}.${kernel}.ipynb`);
    writeFileSync(source, JSON.stringify({ ...notebook, metadata: { ...notebook.metadata, kernelspec } }));
    const declares = (parameter: string): boolean =>
      sourcesOf(notebook).some((code) => new RegExp(`^let ${parameter}\\b`, 'm').test(code));
    const withOwn = declares('ownRuns') && kernel === 'tslab';
    const run = await executeNotebook(
      source,
      path.join(folder, `${stem}.${kernel}.out.ipynb`),
      path.dirname(own),
      {
        quick: true,
        ...(declares('results') && { results: path.join(folder, stem) }),
        ...(withOwn && { ownRuns }),
      },
    );
    expect(run.failed).toBe('');
    const outputs = run.notebook.cells.flatMap((cell) => cell.outputs ?? []);
    expect(outputs.filter((output) => output.output_type === 'error')).toEqual([]);
    if (stem !== 'templates-blank') {
      const mimes = outputs.flatMap((output) => Object.keys(output.data ?? {}));
      expect(mimes.filter((mime) => mime === 'text/html' || mime === 'image/png')).not.toEqual([]);
    }
    const shown = outputs.map((output) => JSON.stringify(output.data ?? output.text)).join('\n');
    for (const figure of [...(figures[name] ?? []), ...(withOwn ? ['own-b'] : [])])
      expect(shown).toContain(figure);
    expect(isAlive(run.pid)).toBe(false);
    // told, not asserted: the aim is 60 s, and the machine may be busy
    process.stdout.write(`notebooks/${name}, quick, on ${kernel}: ${run.seconds.toFixed(0)} s\n`);
  });
});
