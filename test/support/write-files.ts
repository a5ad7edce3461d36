import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes files below `root`, folders made as needed; values that are no text are written as JSON. */
export function writeFiles(root: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
}
