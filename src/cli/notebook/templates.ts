import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { nearest, UsageError } from '../../errors.js';

/** Notebooks to begin with: notebooks/templates/NAME.ipynb, and what each is for. */
export const templates: Readonly<Record<string, string>> = {
  study: 'define a study, plan it, run it, and look at tables and charts',
  ablation: 'vary one setting of a study and see what it changes, in a dozen lines',
  dataset: 'look at a dataset: facts, bands, classes, licence',
  encoder: 'look at an encoder: input, features, weights and whether they fit',
  blank: 'a parameters cell and an empty one',
};

/** One line each. */
export function templateList(): string {
  const width = Math.max(...Object.keys(templates).map((name) => name.length));
  return Object.entries(templates)
    .map(([name, summary]) => `${name.padEnd(width)}  ${summary}`)
    .join('\n');
}

/** Text of a template's notebook. @throws UsageError TEMPLATE_UNKNOWN with the nearest and all names */
export function readTemplate(name: string): string {
  if (!Object.hasOwn(templates, name)) {
    const guess = nearest(name, Object.keys(templates));
    throw new UsageError('TEMPLATE_UNKNOWN', `There is no template "${name}".`, {
      hint: `${guess ? `Did you mean "${guess}"? ` : ''}Known:\n${templateList()}`,
    });
  }
  return readFileSync(
    fileURLToPath(new URL(`../../../notebooks/templates/${name}.ipynb`, import.meta.url)),
    'utf8',
  );
}
