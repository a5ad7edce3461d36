// Jupyter kernels side by side in one run, measured by bench/kernels/compare.py; writes bench/results/kernels.json.
// Deno's own specification leaves interrupts to a signal, which ends it; it is compared as it can be used.
// It is taken where `deno` is in the PATH or GONDWANA_BENCH_DENO names it; the others are always there.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import path from 'node:path';
import { answers, root, say } from './process.mjs';
import { installJupyter } from './test-needs.mjs';
import { setUp } from '../set-up.mjs';

const kernelspec = (argv, more = {}) => ({ argv, display_name: argv[0], language: 'typescript', ...more });

/** Name → what its cells understand and how it is started. */
function kernels(python) {
  const own = JSON.parse(readFileSync(path.join(root, 'kernels/gondwana/kernel.json'), 'utf8'));
  const ownArgv = own.argv.map((word) => word.replace('{resource_dir}', path.join(root, 'kernels/gondwana')));
  const gondwana = (engine) => ({
    dialect: 'gondwana',
    spec: { ...own, argv: ownArgv, env: { ...own.env, GONDWANA_CELL_ENGINE: engine } },
  });
  const deno = process.env.GONDWANA_BENCH_DENO ?? (answers('deno') ? 'deno' : undefined);
  return {
    tslab: {
      dialect: 'tslab',
      spec: kernelspec([
        'node',
        path.join(root, 'kernels/tslab/start.cjs'),
        'kernel',
        '--config-path',
        '{connection_file}',
      ]),
    },
    'gondwana-tslab': gondwana('tslab'),
    'gondwana-typescript': gondwana('typescript'),
    ...(deno && {
      deno: {
        dialect: 'deno',
        spec: kernelspec([deno, 'jupyter', '--kernel', '--conn', '{connection_file}'], {
          interrupt_mode: 'message',
        }),
      },
    }),
    ipykernel: {
      dialect: 'python',
      spec: kernelspec([python, '-m', 'ipykernel_launcher', '-f', '{connection_file}'], {
        language: 'python',
      }),
    },
  };
}

/** Runs the comparison and prints its table; exit code 0. */
export async function kernelBench() {
  await setUp();
  const reason = await installJupyter();
  if (reason) {
    say(`PEER_MISSING: no Jupyter client: ${reason}`);
    return 3;
  }
  const { python, packages } = JSON.parse(readFileSync(path.join(root, '.venv/gondwana-test.json'), 'utf8'));
  const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-bench-'));
  const all = kernels(python);
  for (const [name, { spec }] of Object.entries(all)) {
    mkdirSync(path.join(folder, 'kernels', name), { recursive: true });
    writeFileSync(path.join(folder, 'kernels', name, 'kernel.json'), JSON.stringify(spec));
  }
  if (!all.deno) say('not compared: deno (install it, or set GONDWANA_BENCH_DENO)');
  const pairs = Object.entries(all).map(([name, { dialect }]) => `${name}=${dialect}`);
  const { status, stdout } = spawnSync(
    python,
    [path.join(root, 'bench/kernels/compare.py'), path.join(root, 'notebooks'), ...pairs],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, JUPYTER_PATH: folder, ...(packages && { PYTHONPATH: packages }) },
    },
  );
  rmSync(folder, { recursive: true });
  if (status !== 0) return 1;
  const rows = JSON.parse(stdout);
  const machine = { processor: cpus()[0]?.model, cores: cpus().length, node: process.version };
  const document = { bench: 'kernels', date: new Date().toISOString(), machine, rows };
  writeFileSync(path.join(root, 'bench/results/kernels.json'), `${JSON.stringify(document, null, 2)}\n`);
  say(
    'kernel               conformance  interrupts  10,000 lines    ready  first   cell  with toolkit   memory',
  );
  for (const row of rows) {
    const { passed, failed, skipped } = row.conformance;
    say(
      row.kernel.padEnd(21) +
        `${passed}/${passed + failed}${skipped ? ` (${skipped} n/a)` : ''}`.padEnd(13) +
        `${row.interrupts.passed}/${row.interrupts.of}`.padEnd(12) +
        `${row.linesOf10000}${row.idleAfterThem ? '' : ', no idle'}`.padEnd(14) +
        `${row.readySeconds.toFixed(2)} s`.padStart(8) +
        `${row.firstResultSeconds.toFixed(2)} s`.padStart(8) +
        `${row.cellMs.toFixed(0)} ms`.padStart(7) +
        `${row.cellMsWithToolkit.toFixed(0)} ms`.padStart(10) +
        `${row.memoryMB} → ${row.memoryMBWithToolkit} MB`.padStart(16),
    );
  }
  say('\nWritten: bench/results/kernels.json');
  return 0;
}
