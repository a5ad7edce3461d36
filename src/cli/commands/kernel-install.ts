import path from 'node:path';
import { textOption, type Command } from '../command.js';
import { jupyterWarnings } from '../jupyter/find-jupyter.js';
import { installKernel } from '../jupyter/install-kernel.js';
import { ownKernels } from '../jupyter/kernel-spec.js';
import { choosePlace } from '../jupyter/place.js';

export interface KernelInstallDocument {
  readonly name: string;
  readonly displayName: string;
  /** Folder of the specification. */
  readonly folder: string;
  /** True where an earlier installation of Gondwana was there. */
  readonly replaced: boolean;
  /** Line that starts Jupyter. */
  readonly start: string;
  /** Why Jupyter may not find or start it. */
  readonly warnings: readonly string[];
}

/** `gondwana kernel install`. @throws what choosePlace and installKernel throw */
export const kernelInstall: Command = async ({ signal, notices }, _args, options) => {
  const place = await choosePlace(options, signal);
  const { name, displayName, folder, replaced } = await installKernel(
    place,
    textOption(options, 'displayName'),
  );
  const warnings = await jupyterWarnings(place.dataFolder, signal);
  if (ownKernels.split(path.sep).includes('_npx')) {
    warnings.push(
      'This Gondwana lies in the cache of npx, which npm may clear: install it in a project instead.',
    );
  }
  for (const warning of warnings) notices.say(`note: ${warning}`);
  const start = 'jupyter lab';
  const document: KernelInstallDocument = { name, displayName, folder, replaced, start, warnings };
  const verb = replaced ? 'is installed anew' : 'is installed';
  return {
    document,
    text: `${displayName} ${verb}: ${folder}\nstart: ${start}, then choose "${displayName}"`,
  };
};
