// Compares with the references, unit by unit, in `as-published` mode.
// usage: node tools/run.mjs parity|cases|layouts DIR [--only A,B…] [--weights FILE]
// One unit is one fixture, file or dataset; one line a failure; the last line is `N passed, N failed`.
// Exit 1 if any failed or none ran, 2 for a wrong call. A unit without code counts as failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, runTool, say } from './lib/process.mjs';
import { setUp } from './set-up.mjs';

const FIXTURE = ['parity/fixtures/run-fixture.js', 'runFixtureParity'];
const LAYOUT = ['parity/layouts/layout-parity.js', 'runLayoutParity'];

/**
 * Code for a unit: module below dist/ and its exported function. The function gets the unit's folder or file,
 * the unit's entry of the index, and `{ weights, mode }`; it resolves to undefined where all is equal, else to
 * one line: for parity the first intermediate that diverges. What it throws is a failure as well.
 */
const runners = {
  parity: {
    published: ['parity/published.js', 'runPublishedParity'],
    checkpoint: ['parity/checkpoint.js', 'runCheckpointParity'],
    preprocess: FIXTURE,
    encoder: FIXTURE,
    neck: FIXTURE,
    decoder: FIXTURE,
    detection: FIXTURE,
    loss: FIXTURE,
    optim: FIXTURE,
    step: FIXTURE,
    metrics: FIXTURE,
    stats: FIXTURE,
  },
  cases: {
    hdf5: ['parity/cases/hdf5.js', 'runHdf5Case'],
    npy: ['parity/cases/npy.js', 'runNpyCase'],
    rasters: ['parity/cases/rasters.js', 'runRasterCase'],
    tables: ['parity/cases/tables.js', 'runTableCase'],
    zarr: ['parity/cases/zarr.js', 'runZarrCase'],
  },
  layouts: {
    pangaea: LAYOUT,
    geobench: LAYOUT,
    geobench2: LAYOUT,
  },
};

/** Known once set-up is through. */
let parsePythonJson;
const readJson = (file) => parsePythonJson(readFileSync(file, 'utf8'));
const folders = (folder) =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
    : [];

/** Units of a folder: id (what `--only` names, whole or its first part), kind of code, place, entry. */
const units = {
  parity(folder, only) {
    const index = path.join(folder, 'index.json');
    const listed = existsSync(index) ? readJson(index).fixtures : [];
    const fixtures = listed.map((entry) => ({
      id: entry.id,
      code: entry.area,
      place: path.join(folder, entry.id),
      entry,
    }));
    if (!only.some((name) => name.split('/')[0] === 'published')) return fixtures;
    const published = folders(path.join(folder, 'published')).map((name) => {
      const place = path.join(folder, 'published', name);
      return {
        id: `published/${name}`,
        code: 'published',
        place,
        entry: readJson(path.join(place, 'config.json')),
      };
    });
    return [...fixtures, ...published];
  },
  cases: (folder) =>
    readJson(path.join(folder, 'expected.json')).cases.map((entry) => ({
      id: entry.file,
      code: entry.file.split('/')[0],
      place: path.join(folder, entry.file),
      entry,
    })),
  async layouts(folder) {
    const found = folders(folder).flatMap((benchmark) =>
      folders(path.join(folder, benchmark))
        .map((name) => ({
          id: `${benchmark}/${name}`,
          code: benchmark,
          place: path.join(folder, benchmark, name),
        }))
        .filter((unit) => existsSync(path.join(unit.place, 'expected.json')))
        .map((unit) => ({ ...unit, entry: readJson(path.join(unit.place, 'expected.json')) })),
    );
    const file = path.join(root, 'dist', LAYOUT[0]);
    if (!existsSync(file)) return found;
    const { datasetsOfFolder } = await import(file);
    // two datasets may read one folder: each is a unit
    return found.flatMap((unit) => {
      const [first, ...others] = datasetsOfFolder(unit.entry.benchmark, unit.entry.dataset);
      const more = others.map((dataset) => ({ ...unit, id: `${unit.id}/${dataset}`, dataset }));
      return [{ ...unit, dataset: first }, ...more];
    });
  },
};

/** `encoder`, `encoder/vit` and `vit` all choose `encoder/vit`; a dataset is also chosen by its id. */
const isChosen = ({ id, dataset }, only) =>
  only.length === 0 ||
  only.some(
    (name) => id === name || id.startsWith(`${name}/`) || id.split('/').at(-1) === name || dataset === name,
  );

/** One line that says what failed, or undefined. */
async function check(kind, unit, weights) {
  const runner = runners[kind][unit.code];
  const file = runner && path.join(root, 'dist', runner[0]);
  if (!runner || !existsSync(file)) return 'there is no code for this yet';
  if (unit.code === 'published' && !weights) return 'it needs --weights FILE';
  try {
    const compare = (await import(file))[runner[1]];
    return await compare(unit.place, unit.entry, { weights, mode: 'as-published', dataset: unit.dataset });
  } catch (error) {
    return `${error.code ?? error.name}: ${error.message}${error.where ? ` (${error.where})` : ''}`;
  }
}

await runTool(async () => {
  const options = { only: { type: 'string' }, weights: { type: 'string' } };
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [kind, given] = positionals;
  if (!units[kind] || !given || positionals.length !== 2) {
    say('usage: npm run parity|cases|layouts -- DIR [--only A,B…] [--weights FILE]');
    return 2;
  }
  const folder = path.resolve(process.env.INIT_CWD ?? '.', given);
  if (!existsSync(folder)) {
    say(`FILE_MISSING: there is no folder ${folder}`);
    return 3;
  }
  const weights = values.weights && path.resolve(process.env.INIT_CWD ?? '.', values.weights);
  await setUp();
  ({ parsePythonJson } = await import(path.join(root, 'dist', 'parity', 'python-json.js')));
  const only = (values.only ?? '').split(',').filter(Boolean);
  const chosen = (await units[kind](folder, only)).filter((unit) => isChosen(unit, only));
  let failed = 0;
  for (const unit of chosen) {
    const failure = await check(kind, unit, weights);
    if (failure === undefined) continue;
    failed++;
    process.stdout.write(`failed: ${unit.id}: ${failure}\n`);
  }
  process.stdout.write(`${chosen.length - failed} passed, ${failed} failed\n`);
  return failed > 0 || chosen.length === 0 ? 1 : 0;
});
