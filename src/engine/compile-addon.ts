import { createRequire } from 'node:module';
import path from 'node:path';
import { RunError } from '../errors.js';
import { systemCode, writeError } from '../io/file-errors.js';
import { lastLines, runProcess } from '../io/process.js';

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

/**
 * Compiles the addon that the npm package ships as source, against the library and headers in
 * `folder/tensorflow`; the addon finds the library there wherever the folder is moved to.
 * @throws RunError ENGINE_COMPILE, DISK_FULL; the signal's reason
 */
export async function compileAddon(folder: string, addon: string, signal?: AbortSignal): Promise<void> {
  const sources = path.join(path.dirname(require.resolve('@tensorflow/tfjs-node/package.json')), 'binding');
  const nodeHeaders = path.join(path.dirname(require.resolve('node-api-headers/package.json')), 'include');
  const library = path.join(folder, 'tensorflow');
  const args = [
    ...['-std=c++17', '-O2', '-fPIC', '-shared', '-w', '-DNAPI_VERSION=8'],
    ...[`-I${sources}`, `-I${path.join(library, 'include')}`, `-I${nodeHeaders}`],
    ...['tfjs_backend.cc', 'tfjs_binding.cc'].map((name) => path.join(sources, name)),
    ...['-o', addon, `-L${library}`, '-l:libtensorflow_cc.so.2', '-l:libtensorflow_framework.so.2'],
    '-Wl,-rpath,$ORIGIN/tensorflow',
  ];
  const { status, stderr, killedBy } = await runProcess('g++', args, {
    signal,
    env: { TMPDIR: folder, LC_ALL: 'C' },
  });
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
