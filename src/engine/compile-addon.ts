import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunError } from '../errors.js';
import { systemCode, writeError } from '../io/file-errors.js';
import { lastLines, runProcess, type ProcessResult } from '../io/process.js';

const require = createRequire(import.meta.url);

/** First line of `g++ --version`. @throws RunError NO_COMPILER */
export async function findCompiler(signal?: AbortSignal): Promise<string> {
  try {
    const { status, stdout } = await runProcess('g++', ['--version'], { signal });
    if (status === 0) return stdout.split('\n')[0]!.trim();
    throw Object.assign(new Error(`g++ --version ends with status ${status}`), { code: 'ENOENT' });
  } catch (cause) {
    if (systemCode(cause) !== 'ENOENT') throw cause;
    throw new RunError('NO_COMPILER', 'There is no g++, which the native engine is compiled with.', {
      where: 'PATH',
      hint: 'Install it (Debian, Ubuntu: sudo apt install g++; Fedora: sudo dnf install gcc-c++).',
      cause,
    });
  }
}

const sources = (): string =>
  path.join(path.dirname(require.resolve('@tensorflow/tfjs-node/package.json')), 'binding');

const BACKEND = 'tfjs_backend.cc';

/** Where the binding passes an attribute to TensorFlow, and what we put before it: lists are taken as well. */
const CHANGES = [
  {
    place: 'std::string str_value;\n      nstatus = GetStringParam(env, js_value, str_value);',
    list: listAttribute(
      'std::vector<std::string> texts(length);\nstd::vector<const void *> starts(length);\nstd::vector<size_t> sizes(length);',
      'nstatus = GetStringParam(env, element, texts[i]);\nstarts[i] = texts[i].data();\nsizes[i] = texts[i].size();',
      'TFE_OpSetAttrStringList(tfe_op, attr_name, starts.data(), sizes.data(), length);',
    ),
  },
  {
    place: 'TF_DataType tf_data_type;\n      nstatus = napi_get_value_int32(',
    list: listAttribute(
      'std::vector<TF_DataType> types(length);',
      'nstatus = napi_get_value_int32(env, element, reinterpret_cast<int32_t *>(&types[i]));',
      'TFE_OpSetAttrTypeList(tfe_op, attr_name, types.data(), length);',
    ),
  },
];

/** C++ that passes an attribute on if its value is an array, in the binding's own terms. */
function listAttribute(declare: string, readElement: string, pass: string): string {
  return `if (IsArray(env, nstatus, &js_value)) {
uint32_t length;
nstatus = napi_get_array_length(env, js_value, &length);
ENSURE_NAPI_OK(env, nstatus);
${declare}
for (uint32_t i = 0; i < length; ++i) {
napi_value element;
nstatus = napi_get_element(env, js_value, i, &element);
ENSURE_NAPI_OK(env, nstatus);
${readElement}
ENSURE_NAPI_OK(env, nstatus);
}
${pass}
break;
}
`;
}

/**
 * The binding's source as we compile it: attributes may be lists of texts and of types, which fused kernels need.
 * @throws Error where the package's source has no such place (another version than the one pinned)
 */
export function backendSource(): string {
  let source = readFileSync(path.join(sources(), BACKEND), 'utf8');
  for (const { place, list } of CHANGES) {
    const parts = source.split(place);
    if (parts.length !== 2) throw new Error(`${BACKEND} of this @tensorflow/tfjs-node is not the one known`);
    source = parts.join(list + place);
  }
  return source;
}

/** Kernels of our own, which the addon registers when it is loaded (docs/decisions/0017-fused-kernels.md). */
const KERNELS = path.resolve(fileURLToPath(import.meta.url), '../../../native/fused-kernels.cc');

/** They vectorise loops where they say so, and look at no flags of floating-point errors. */
const KERNEL_FLAGS = ['-fopenmp-simd', '-fno-math-errno', '-fno-trapping-math', '-pthread'];

/**
 * Compiles the addon that the npm package ships as source, against the library and headers in
 * `folder/tensorflow`; the addon finds the library there wherever the folder is moved to.
 * @returns whether our kernels are in it: a compiler that refuses them makes the addon without
 * @throws RunError ENGINE_COMPILE, DISK_FULL; the signal's reason
 */
export async function compileAddon(folder: string, addon: string, signal?: AbortSignal): Promise<boolean> {
  const backend = path.join(folder, BACKEND);
  await writeFile(backend, backendSource());
  const withKernels = await compile([...KERNEL_FLAGS, KERNELS], folder, addon, signal);
  const result = withKernels.status === 0 ? withKernels : await compile([], folder, addon, signal);
  await rm(backend);
  refuseFailure(result, addon);
  return result === withKernels;
}

function compile(
  more: readonly string[],
  folder: string,
  addon: string,
  signal: AbortSignal | undefined,
): Promise<ProcessResult> {
  const nodeHeaders = path.join(path.dirname(require.resolve('node-api-headers/package.json')), 'include');
  const library = path.join(folder, 'tensorflow');
  const args = [
    ...['-std=c++17', '-O2', '-fPIC', '-shared', '-w', '-DNAPI_VERSION=8'],
    ...[`-I${sources()}`, `-I${path.join(library, 'include')}`, `-I${nodeHeaders}`],
    ...[path.join(folder, BACKEND), path.join(sources(), 'tfjs_binding.cc'), ...more],
    ...['-o', addon, `-L${library}`, '-l:libtensorflow_cc.so.2', '-l:libtensorflow_framework.so.2'],
    '-Wl,-rpath,$ORIGIN/tensorflow',
  ];
  return runProcess('g++', args, { signal, env: { TMPDIR: folder, LC_ALL: 'C' } });
}

function refuseFailure({ status, stderr, killedBy }: ProcessResult, addon: string): void {
  if (status === 0) return;
  const cause = new Error(lastLines(stderr) || `g++ was ended by ${killedBy || `status ${status}`}`);
  if (/No space left on device/.test(stderr))
    throw writeError(Object.assign(cause, { code: 'ENOSPC' }), addon);
  const firstError = /(?:fatal )?error: .*/.exec(stderr)?.[0] ?? lastLines(cause.message, 1);
  throw new RunError('ENGINE_COMPILE', `The native engine does not compile: ${firstError}`, {
    where: 'g++',
    hint: 'g++ 9 or newer is needed (C++17); see the last lines it printed in the cause.',
    cause,
  });
}
