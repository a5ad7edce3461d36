import path from 'node:path';
import { cacheFolder } from '../io/cache-folder.js';

/** TensorFlow release whose C library the addon is compiled against. */
export const TENSORFLOW_VERSION = '2.21.0';

export type EngineFlavour = 'cpu' | 'gpu';

/** Folder of one native engine: library, headers, addon and `engine.json`, which is written last. */
export const engineFolder = (flavour: EngineFlavour = 'cpu'): string =>
  path.join(
    cacheFolder(),
    'engine',
    `tensorflow-${TENSORFLOW_VERSION}-${flavour}-${process.platform}-${process.arch}`,
  );

/** Line that mends a missing native engine. */
export const ENGINE_INSTALL_LINE = 'npx gondwana engine install';
