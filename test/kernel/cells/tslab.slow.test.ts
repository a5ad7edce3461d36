import path from 'node:path';
import { createModuleLoader } from '../../../src/kernel/modules/loader.js';
import { createTslabEngine } from '../../../src/kernel/tslab/engine.js';
import { createLanguage } from '../../../src/kernel/tslab/language.js';
import { asClient } from './as-client.js';
import { runSequences } from './run-sequences.js';

runSequences('tslab', (options) => {
  const language = createLanguage(options);
  const modules = createModuleLoader({
    folder: options.folder,
    kernelPackageRoot: path.resolve(import.meta.dirname, '../../..'),
  });
  return {
    engine: createTslabEngine({ language: asClient(language), modules, folder: options.folder }),
    setStrictness: (level) => language.setStrictness(level),
    beginCell: () => modules.beginCell(),
  };
});
