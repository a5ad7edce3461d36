import path from 'node:path';
import { createModuleLoader } from '../../../src/kernel/modules/loader.js';
import { createTypescriptEngine } from '../../../src/kernel/typescript/engine.js';
import { createLanguage } from '../../../src/kernel/typescript/language.js';
import { runSequences } from './run-sequences.js';
import { asClient } from './as-client.js';

runSequences('typescript', (options) => {
  const language = createLanguage(options);
  const modules = createModuleLoader({
    folder: options.folder,
    kernelPackageRoot: path.resolve(import.meta.dirname, '../../..'),
  });
  return {
    engine: createTypescriptEngine({ language: asClient(language), modules, folder: options.folder }),
    setStrictness: (level) => language.setStrictness(level),
    beginCell: () => modules.beginCell(),
  };
});
