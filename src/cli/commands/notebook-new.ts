import { existsSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../../errors.js';
import { publishExclusive, writeFileAtomic } from '../../io/atomic-file.js';
import { textOption, type Command } from '../command.js';
import { kernelFolders, thisSystem } from '../jupyter/paths.js';
import { readTemplate, templateList, templates } from '../notebook/templates.js';

/**
 * `gondwana notebook new TEMPLATE`; without a template it lists them.
 * @throws UsageError TEMPLATE_UNKNOWN; InputError FILE_EXISTS, and what writing a file throws
 */
export const notebookNew: Command = async (_context, [template], options) => {
  if (template === undefined) {
    const document = Object.entries(templates).map(([name, summary]) => ({ name, summary }));
    return { document, text: templateList() };
  }
  const content = readTemplate(template);
  const file = path.resolve(textOption(options, 'out') ?? `${template}.ipynb`);
  if (options.force === true) await writeFileAtomic(file, content);
  else if ((await publishExclusive(file, content)) === 'exists') {
    throw new InputError('FILE_EXISTS', 'There is a file of this name, and it stays as it is.', {
      where: file,
      hint: 'Choose another name with --out, or replace it with --force.',
    });
  }
  const lines = [file];
  if (!isKernelKnown()) lines.push('once, so that Jupyter has its kernel: npx gondwana kernel install');
  lines.push(`open it: jupyter lab ${path.relative('', file)}`);
  return { document: { template, file }, text: lines.join('\n') };
};

/** Whether Jupyter has a kernel of the name that the templates ask for. */
const isKernelKnown = (): boolean =>
  kernelFolders(thisSystem()).some((folder) => existsSync(path.join(folder, 'gondwana', 'kernel.json')));
