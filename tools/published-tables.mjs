// Writes data-manifests/published/*.csv from a folder of facts, every number checked on the way.
// usage: node tools/published-tables.mjs FOLDER
import { existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, runTool, say } from './lib/process.mjs';
import { toCsv } from './published/facts.mjs';
import { geobenchTables } from './published/geobench.mjs';
import { geobench2Tables } from './published/geobench2.mjs';
import { pangaeaTables } from './published/pangaea.mjs';

const out = path.join(root, 'data-manifests', 'published');

function write(name, text) {
  const file = path.join(out, name);
  writeFileSync(`${file}.tmp`, text);
  renameSync(`${file}.tmp`, file);
}

await runTool(async () => {
  const folder = process.argv[2];
  if (!folder || !existsSync(folder)) throw new Error('usage: node tools/published-tables.mjs FOLDER');
  const papers = { pangaea: pangaeaTables, geobench: geobenchTables, geobench2: geobench2Tables };
  const written = new Set();
  for (const [paper, tablesOf] of Object.entries(papers)) {
    const tables = tablesOf(folder);
    const manifest = JSON.parse(readFileSync(path.join(out, `${paper}.json`), 'utf8'));
    const listed = manifest.tables.map(({ id }) => id);
    const missing = [...tables.keys()].filter((id) => !listed.includes(id));
    const absent = listed.filter((id) => !tables.has(id));
    if (missing.length + absent.length > 0)
      throw new Error(
        `${paper}.json lacks ${missing.join(', ') || 'none'} and names ${absent.join(', ') || 'none'} for which there are no facts`,
      );
    for (const table of manifest.tables) {
      const { rows, columns } = tables.get(table.id);
      write(`${table.id}.csv`, toCsv(rows, columns));
      written.add(`${table.id}.csv`);
    }
    say(
      `${paper}: ${tables.size} tables, ${[...tables.values()].reduce((sum, { rows }) => sum + rows.length, 0)} rows`,
    );
  }
  for (const name of readdirSync(out))
    if (name.endsWith('.csv') && !written.has(name)) rmSync(path.join(out, name));
});
