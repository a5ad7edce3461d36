import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './needs.js';

/** Published samples that lie beside a checkout; their licences keep them out of it. */
const folder = path.resolve(root, '../shared/data');

/** Where they are not there, the run lists the tests by name: `describe.skipIf(!sharedData.isMet)`. */
export const sharedData = {
  isMet: existsSync(path.join(folder, 'expected-real.json')),
  path: (name: string): string => path.join(folder, name),
  /** Numbers of every sample, by its path. */
  expected: (): Readonly<Record<string, unknown>> =>
    JSON.parse(readFileSync(path.join(folder, 'expected-real.json'), 'utf8')) as Record<string, unknown>,
};
