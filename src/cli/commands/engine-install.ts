import type { Command } from '../command.js';

/** `gondwana engine install [--gpu] [--force]`. */
export const engineInstall: Command = async ({ signal, stderr }, _args, options) => {
  const { installEngine } = await import('../../engine/install.js');
  const flavour = options.gpu === true ? 'gpu' : 'cpu';
  const onProgress = (text: string): void => void stderr.write(`${text}\n`);
  const engine = await installEngine({ flavour, force: options.force === true, signal, onProgress });
  return {
    document: engine,
    text: `The native engine is installed: TensorFlow ${engine.stamp.tensorflow}, ${engine.addon}`,
  };
};
