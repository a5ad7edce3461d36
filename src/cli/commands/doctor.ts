import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { EngineInfo } from '../../engine/engine.js';
import { cacheFolder } from '../../io/cache-folder.js';
import { runProcess } from '../../io/process.js';
import type { Command } from '../command.js';
import { packageVersion } from '../../version.js';

/** Something that is missing, and the line that mends it. */
export interface Missing {
  readonly what: string;
  /** True where no job runs without it. */
  readonly isNeeded: boolean;
  readonly mend: string;
}

export interface DoctorDocument {
  /** A job can run, if slowly. */
  readonly ok: boolean;
  /** null where none starts. */
  readonly engine: EngineInfo | null;
  readonly machine: { readonly cores: number; readonly memoryBytes: number; readonly gpuDriver: boolean };
  /** By program; null where it is not installed. */
  readonly versions: Readonly<Record<string, string | null>>;
  readonly cache: {
    readonly folder: string;
    readonly isWritable: boolean;
    readonly freeBytes: number | null;
  };
  /** File of the font that charts are drawn with. */
  readonly font: string | null;
  readonly missing: readonly Missing[];
}

/** `gondwana doctor`: exit 0 if a job can run. */
export const doctor: Command = async ({ signal }) => {
  const [probe, npm, python, pip, compiler] = await Promise.all([
    probeEngine(signal),
    version('npm', ['--version']),
    version('python3', ['--version']),
    version('python3', ['-m', 'pip', '--version']),
    version('g++', ['--version']),
  ]);
  const versions = {
    gondwana: packageVersion(),
    node: process.versions.node,
    npm,
    python,
    pip,
    'g++': compiler,
  };
  const cache = describeCache();
  const font = findFont();
  const gpuDriver = existsSync('/proc/driver/nvidia/version');
  const missing: Missing[] = [];
  const need = (what: string, mend: string): void => void missing.push({ what, isNeeded: true, mend });
  const miss = (what: string, mend: string): void => void missing.push({ what, isNeeded: false, mend });

  if (!probe.engine)
    need(`An engine: ${probe.error}`, 'GONDWANA_ENGINE unset, then: npx gondwana engine install --force');
  if (!cache.isWritable)
    need(`A cache folder that can be written: ${cache.folder}`, 'set GONDWANA_CACHE to one');
  if (!font) need('The font of the charts (package dejavu-fonts-ttf)', 'npm ci');
  if (probe.engine && !probe.engine.name.startsWith('native')) {
    if (!python || !pip) miss('Python 3 with pip, which downloads TensorFlow', 'apt-get install python3-pip');
    if (!compiler) miss('g++, which compiles the binding', 'apt-get install g++');
    miss('The native engine: without it computing takes many times longer', 'npx gondwana engine install');
  } else if (gpuDriver && probe.engine?.name === 'native-cpu') {
    miss('The GPU engine: an NVIDIA driver is here', 'npx gondwana engine install --gpu');
  }

  const machine = { cores: os.availableParallelism(), memoryBytes: os.totalmem(), gpuDriver };
  const ok = !missing.some((entry) => entry.isNeeded);
  const document: DoctorDocument = { ok, engine: probe.engine, machine, versions, cache, font, missing };
  return { document, text: describe(document), exitCode: ok ? 0 : 1 };
};

type Probe =
  { readonly engine: EngineInfo; readonly error?: never } | { readonly engine: null; readonly error: string };

async function probeEngine(signal: AbortSignal): Promise<Probe> {
  const file = fileURLToPath(new URL('../engine-probe.js', import.meta.url));
  const env = { TF_CPP_MIN_LOG_LEVEL: '2' };
  const result = await runProcess(process.execPath, [file], { signal, env });
  try {
    const answer = JSON.parse(result.stdout.trim().split('\n').at(-1) ?? '') as {
      engine?: EngineInfo;
      error?: string;
    };
    return answer.engine ? { engine: answer.engine } : { engine: null, error: answer.error ?? 'no answer' };
  } catch {
    return { engine: null, error: `its process ended with status ${result.status} before it answered` };
  }
}

/** The number a program calls itself, or null where there is none. */
async function version(program: string, args: readonly string[]): Promise<string | null> {
  try {
    const { status, stdout } = await runProcess(program, args);
    return status === 0 ? (/\d+(\.\d+)+/.exec(stdout)?.[0] ?? stdout.trim()) : null;
  } catch {
    return null;
  }
}

function describeCache(): DoctorDocument['cache'] {
  const folder = cacheFolder();
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return { folder, isWritable: true, freeBytes: bavail * bsize };
  } catch {
    return { folder, isWritable: false, freeBytes: null };
  }
}

function findFont(): string | null {
  try {
    return createRequire(import.meta.url).resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf');
  } catch {
    return null;
  }
}

function describe(found: DoctorDocument): string {
  const gigabytes = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  const { engine } = found;
  const lines: [string, string][] = [];
  if (engine) {
    lines.push(['engine', `${engine.name} (${engine.library}, ${engine.api})`]);
    lines.push(['device', `${engine.device}, ${engine.threads} threads`], ['processor', engine.processor]);
  } else {
    lines.push(['engine', 'none starts']);
  }
  lines.push(['memory', gigabytes(found.machine.memoryBytes)]);
  for (const [name, text] of Object.entries(found.versions)) lines.push([name, text ?? 'not installed']);
  const free =
    found.cache.freeBytes === null ? 'cannot be written' : `${gigabytes(found.cache.freeBytes)} free`;
  lines.push(['cache', `${found.cache.folder} (${free})`], ['font', found.font ? 'DejaVu Sans' : 'missing']);
  const width = Math.max(...lines.map(([name]) => name.length));
  const text = lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  for (const notice of engine?.notices ?? []) text.push(`notice: ${notice}`);
  for (const { what, isNeeded, mend } of found.missing) {
    text.push(`${isNeeded ? 'missing' : 'would help'}: ${what}`, `  to do: ${mend}`);
  }
  text.push(found.ok ? 'A job can run.' : 'No job can run yet.');
  return text.join('\n');
}
