import { accessSync, constants, existsSync, mkdirSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import type { EngineInfo } from '../../engine/engine.js';
import { cacheFolder } from '../../io/cache-folder.js';
import { runProcess } from '../../io/process.js';
import { readEngineManifest } from '../../manifests/engine-manifest.js';
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
  /** GPU on which the GPU engine has passed its check (bench/gpu.sh); null: not yet verified. */
  readonly gpuVerifiedOn: string | null;
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

  const threads = process.env.TF_NUM_INTRAOP_THREADS;
  if (threads && !/^[1-9]\d*$/.test(threads)) {
    const add = probe.engine ? miss : need;
    add(`TF_NUM_INTRAOP_THREADS is "${threads}", which is no positive whole number`, UNSET_THREADS);
  } else if (!probe.engine) need(`An engine: ${probe.error.message}`, engineMend(probe.error));
  if (!cache.isWritable)
    need(`A cache folder that can be written: ${cache.folder}`, 'set GONDWANA_CACHE to one');
  if (!font) need('The font of the charts (package dejavu-fonts-ttf)', 'npm ci');
  const wanted = process.env.GONDWANA_ENGINE;
  if (probe.engine && !probe.engine.name.startsWith('native') && probe.isNativeInstalled) {
    if (wanted) miss(`The native engine: it is installed, and GONDWANA_ENGINE asks for ${wanted}`, UNSET);
    else miss('The native engine: it is installed and does not load', `${INSTALL} --force`);
  } else if (probe.engine && !probe.engine.name.startsWith('native')) {
    if (!python || !pip) miss('Python 3 with pip, which downloads TensorFlow', 'apt-get install python3-pip');
    if (!compiler) miss('g++, which compiles the binding', 'apt-get install g++');
    miss('The native engine: without it computing takes many times longer', INSTALL);
  } else if (gpuDriver && probe.engine?.name === 'native-cpu') {
    miss('The GPU engine: an NVIDIA driver is here', 'npx gondwana engine install --gpu');
  }

  const machine = { cores: os.availableParallelism(), memoryBytes: os.totalmem(), gpuDriver };
  const ok = !missing.some((entry) => entry.isNeeded);
  const { gpuVerifiedOn } = readEngineManifest();
  const document: DoctorDocument = {
    ...{ ok, engine: probe.engine, machine, versions, cache, gpuVerifiedOn, font, missing },
  };
  return { document, text: describe(document), exitCode: ok ? 0 : 1 };
};

const UNSET_THREADS = 'unset TF_NUM_INTRAOP_THREADS, or set it to a number of threads';
const UNSET = 'unset GONDWANA_ENGINE';
/** As engine.ts has it, which would load TensorFlow.js here. */
const INSTALL = 'npx gondwana engine install';

interface ProbeError {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

type Probe = { readonly isNativeInstalled: boolean } & (
  | { readonly engine: EngineInfo; readonly error?: never }
  | { readonly engine: null; readonly error: ProbeError }
);

/** A name that is unknown needs no installation, only another name. */
function engineMend({ code, hint }: ProbeError): string {
  if (code === 'ENGINE_UNKNOWN') return `${UNSET}, or name one: ${hint.replace(/^Known: /, '')}`;
  return hint || `${UNSET}, then: ${INSTALL} --force`;
}

async function probeEngine(signal: AbortSignal): Promise<Probe> {
  const file = fileURLToPath(new URL('../../engine/engine-probe.js', import.meta.url));
  const env = { TF_CPP_MIN_LOG_LEVEL: '2' };
  const result = await runProcess(process.execPath, [file], { signal, env });
  try {
    const answer = JSON.parse(result.stdout.trim().split('\n').at(-1) ?? '') as {
      readonly engine?: EngineInfo;
      readonly error?: ProbeError;
      readonly isNativeInstalled: boolean;
    };
    const { engine, error, isNativeInstalled } = answer;
    if (engine) return { engine, isNativeInstalled };
    return { engine: null, error: error!, isNativeInstalled };
  } catch {
    const message = `its process ended with status ${result.status} before it answered`;
    return { engine: null, error: { code: '', message, hint: '' }, isNativeInstalled: false };
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
    lines.push(
      ['device', `${engine.device}, ${engine.threads} ${engine.threads === 1 ? 'thread' : 'threads'}`],
      ['processor', engine.processor],
    );
  } else {
    lines.push(['engine', 'none starts']);
  }
  lines.push([
    'GPU',
    found.gpuVerifiedOn === null ? 'not yet verified' : `verified on ${found.gpuVerifiedOn}`,
  ]);
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
  text.push(verdict(found));
  return text.join('\n');
}

function verdict({ ok, engine }: DoctorDocument): string {
  if (!ok) return 'No job can run yet.';
  if (engine?.name !== 'wasm') return 'A job can run.';
  return 'A job can run. wasm has 4 GB of memory: frozen encoders fit, fine-tuning may not and then ends with ENGINE_MEMORY.';
}
