// See bench/kill.sh. The last line on stdout is the verdict; exit 1 where a record was lost, changed or doubled.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = path.resolve(import.meta.dirname, '../..');
const program = path.join(root, 'tools/gondwana.mjs');
const study = path.join(root, 'studies/smoke.ts');
const { createRandom } = await import(path.join(root, 'dist/random.js'));
const { openStore } = await import(path.join(root, 'dist/results/store.js'));

const kills = Number(process.argv[2] ?? 100);
if (!Number.isInteger(kills) || kills < 1) throw new Error('usage: bench/kill.sh [KILLS]');
/** A kill comes that long after the start at most: shorter where a study ends before it, longer where no run ends before it. */
let latestMs = 8000;
const [EARLIEST_MS, LONGEST_MS] = [100, 60_000];
const random = createRandom(Number(process.env.SEED ?? 0));
const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-kill-'));
const problems = [];
const moments = { 'before the first record': 0, 'between records': 0, 'after the last': 0 };

/** @returns exit code; null where it was killed */
function start(args, killAfterMs) {
  const child = spawn(process.execPath, [program, ...args], { stdio: 'ignore', detached: true });
  return new Promise((resolve) => {
    const timer = killAfterMs === undefined ? undefined : setTimeout(kill, killAfterMs);
    function kill() {
      // every other time the command alone: its processes must end by themselves and may still publish
      const isAll = random.uniform() < 0.5;
      try {
        process.kill(isAll ? -child.pid : child.pid, 'SIGKILL');
      } catch {
        // it has just ended
      }
    }
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve(code);
    });
  });
}

const recordFiles = (store) =>
  readdirSync(path.join(store, 'records'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));

/** What was finished before is there as it was, each run once, and all of it can be read. */
function look(store, known) {
  const { records, damaged } = openStore(store).readAll();
  for (const { file, reason } of damaged) problems.push(`damaged: ${file}: ${reason}`);
  const ids = records.map(({ id }) => id);
  if (new Set(ids).size < ids.length) problems.push('a run has two records');
  const files = recordFiles(store).filter((file) => !path.basename(file).startsWith('.'));
  const stray = files.filter(
    (file) => !/^[0-9a-f]{20}\.json$/.test(path.basename(file)) && !/try-/.test(file),
  );
  for (const file of stray) problems.push(`no record: ${file}`);
  for (const [file, content] of known)
    if (readFileSync(file, 'utf8') !== content) problems.push(`changed: ${file}`);
  for (const file of files.filter((name) => name.endsWith('.json')))
    known.set(file, readFileSync(file, 'utf8'));
  return records.length;
}

let done = 0;
let studies = 0;
while (done < kills) {
  const store = path.join(folder, `store-${++studies}`);
  const known = new Map();
  let total = Infinity;
  let count = 0;
  while (done < kills && count < total) {
    const before = count;
    const code = await start(
      ['run', study, '--store', store],
      EARLIEST_MS + random.uniform() * (latestMs - EARLIEST_MS),
    );
    await sleep(300); // processes whose parent is gone
    try {
      total = openStore(store).readPlan()?.runs.length ?? Infinity;
      count = total === Infinity ? 0 : look(store, known);
    } catch (error) {
      if (!/no such file|ENOENT/.test(error.message)) problems.push(error.message);
    }
    if (code === 0) {
      latestMs *= 0.8;
      break;
    }
    done++;
    latestMs = count > before ? latestMs * 0.9 : Math.min(LONGEST_MS, latestMs * 1.2);
    moments[count === 0 ? 'before the first record' : count < total ? 'between records' : 'after the last']++;
    process.stderr.write(`\rkill ${done} of ${kills}, study ${studies}: ${count} of ${total} records   `);
  }
  const code = await start(['resume', store, '--plugin', study]);
  if (code !== 0 && code !== 3) problems.push(`resume ended with ${code}`); // 3: killed before it had a plan
  if (code === 0 && look(store, known) !== openStore(store).readPlan().runs.length)
    problems.push('resume left runs undone');
  const left = recordFiles(store).filter((file) => file.endsWith('.tmp'));
  if (code === 0 && left.length > 0 && process.env.STRICT) problems.push(`half-written: ${left.join(', ')}`);
}
rmSync(folder, { recursive: true, force: true });
process.stderr.write('\n');
for (const problem of problems.slice(0, 20)) process.stderr.write(`${problem}\n`);
const told = Object.entries(moments).map(([when, number]) => `${number} ${when}`);
process.stdout.write(
  `${done} kills (${told.join(', ')}) of ${studies} studies: ${problems.length} problems\n`,
);
process.exitCode = problems.length > 0 ? 1 : 0;
