import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { compiler } from './build.mjs';
import { root, run, say, seconds } from './process.mjs';

const tool = (...parts) => path.join('node_modules', ...parts);

/** The older compiler inside tslab reads our `.d.ts` in every cell. Only lines about them count. */
async function checkForNotebooks() {
  const args = [
    '--noEmit',
    '--skipLibCheck',
    'false',
    '--moduleResolution',
    'node10',
    '--module',
    'commonjs',
  ];
  args.push(
    '--target',
    'es2022',
    '--lib',
    'es2022',
    '--types',
    'node',
    '--esModuleInterop',
    'dist/index.d.ts',
  );
  const fork = tool('@tslab', 'typescript-for-tslab', 'bin', 'tsc');
  const { output } = await run(process.execPath, [fork, ...args]);
  const ours = output.split('\n').filter((line) => line.startsWith('dist/') || line.includes('error TS6053'));
  return { code: ours.length > 0 ? 1 : 0, output: ours.join('\n') };
}

/** What tools remember of files that did not change since. */
const cacheFile = (name) => path.join('node_modules', '.cache', 'gondwana', name);

/** ESLint looks again at all files where its rules or packages are others. */
function lintCache() {
  const hash = createHash('sha256');
  for (const rule of readdirSync(path.join(root, 'tools/eslint')).sort())
    hash.update(readFileSync(path.join(root, 'tools/eslint', rule)));
  for (const file of ['tsconfig.json', 'tsconfig.test.json', 'package-lock.json'])
    hash.update(readFileSync(path.join(root, file)));
  return cacheFile(`eslint-${hash.digest('hex').slice(0, 16)}`);
}

const node = (file, ...args) => run(process.execPath, [file, ...args]);

/**
 * Checks by name, quick ones first. Each resolves to an exit code and what to show when it fails. With `fresh` nothing
 * is taken from the last time: ESLint's rules about types do not see that a type has changed in another file.
 */
export const checks = {
  'format (prettier)': () => {
    const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', cacheFile('prettier')];
    return node(tool('prettier', 'bin', 'prettier.cjs'), '--check', '--log-level', 'warn', ...cache, '.');
  },
  'types of sources, tests and studies (TypeScript)': () => {
    const cache = ['--incremental', '--tsBuildInfoFile', cacheFile('tests.tsbuildinfo')];
    return node(compiler, '-p', 'tsconfig.test.json', ...cache);
  },
  'types as a notebook cell reads them (TypeScript 5.0 of tslab)': checkForNotebooks,
  'lint (eslint)': ({ fresh }) => {
    const cache = ['--cache', '--cache-strategy', 'content', '--cache-location', lintCache()];
    const args = ['.', '--max-warnings', '0', ...(fresh ? [] : cache)];
    return node(tool('eslint', 'bin', 'eslint.js'), ...args);
  },
};

/** Runs the checks, two at a time; returns the names of those that failed. */
export async function runChecks({ fresh = false } = {}) {
  const waiting = Object.entries(checks);
  const failed = [];
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [name, check] = next;
      const started = performance.now();
      const { code, output } = await check({ fresh });
      say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name}, ${seconds(started)} s`);
      if (code !== 0) {
        failed.push(name);
        say(output.trimEnd().replace(/^/gm, '       '));
      }
    }
  };
  await Promise.all([worker(), worker()]);
  return failed;
}

/** vitest's own report of a run, as counts and names. */
export function readVitestReport(file) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const tests = report.testResults.flatMap((suite) =>
    suite.assertionResults.map((test) => ({ name: test.fullName, status: test.status, file: suite.name })),
  );
  const named = (suite) => path.relative(root, suite.name);
  const seconds = (suite) => Math.round((suite.endTime - suite.startTime) / 1000);
  return {
    passed: tests.filter((test) => test.status === 'passed').length,
    failed: tests
      .filter((test) => test.status === 'failed')
      .map((test) => `${named({ name: test.file })}: ${test.name}`),
    // a file that does not even load has no tests to count
    broken: report.testResults
      .filter(
        (suite) =>
          suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
      )
      .map((suite) => `${named(suite)}: ${suite.message.split('\n')[0]}`),
    skipped: tests.filter((test) => !['passed', 'failed'].includes(test.status)).map((test) => test.name),
    slowest: [...report.testResults]
      .sort((a, b) => seconds(b) - seconds(a))
      .slice(0, 20)
      .map((suite) => `${seconds(suite)} s: ${named(suite)}`),
  };
}

/** Runs vitest over the projects named; returns its counts. A crash without a report is one failure. */
export async function runVitest(projects, reportFile, env) {
  const args = [tool('vitest', 'vitest.mjs'), 'run', '--reporter=default', '--reporter=json'];
  args.push(`--outputFile.json=${reportFile}`, ...projects.map((project) => `--project=${project}`));
  const plain = process.stderr.isTTY ? {} : { NO_COLOR: '1' }; // colours are noise in a log
  const { code } = await run(process.execPath, args, { show: true, env: { ...plain, ...env } });
  let counts;
  try {
    counts = readVitestReport(reportFile);
  } catch {
    return {
      passed: 0,
      failed: [`vitest ended with exit code ${code} and left no report`],
      broken: [],
      skipped: [],
      slowest: [],
    };
  }
  if (code !== 0 && counts.failed.length + counts.broken.length === 0) {
    counts.failed.push(`vitest ended with exit code ${code}: an error outside any test, shown above`);
  }
  return counts;
}
