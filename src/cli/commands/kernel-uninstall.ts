import type { Command } from '../command.js';
import { uninstallKernel } from '../jupyter/install-kernel.js';
import { choosePlace } from '../jupyter/place.js';

/** `gondwana kernel uninstall`. @throws what choosePlace and uninstallKernel throw */
export const kernelUninstall: Command = async ({ signal }, _args, options) => {
  const place = await choosePlace(options, signal);
  await uninstallKernel(place);
  const { name, folder } = place;
  return { document: { name, folder }, text: `The kernel "${name}" is taken out: ${folder}` };
};
