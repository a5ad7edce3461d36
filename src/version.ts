import { readFileSync } from 'node:fs';

/** Version in package.json, the folder above `dist`. */
export function packageVersion(): string {
  const file = new URL('../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
