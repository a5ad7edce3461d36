import { cpSync } from 'node:fs';
import path from 'node:path';
import { tempFolder } from './temp-folder.js';

const layouts = path.resolve(import.meta.dirname, '../fixtures/layouts');

/** Folder of a fixture, e.g. `pangaea/mados`. */
export const fixture = (name: string): string => path.join(layouts, name);

/** A copy of a fixture that a test may damage; removed when the test ends. */
export function fixtureCopy(name: string): string {
  const folder = path.join(tempFolder(), path.basename(name));
  cpSync(fixture(name), folder, { recursive: true });
  return folder;
}
