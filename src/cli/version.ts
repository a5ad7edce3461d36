import { readFileSync } from 'node:fs';

/** Version in package.json, two folders above `dist/cli`. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
