import { defineConfig } from 'vitest/config';

/**
 * Tests that start a job, a kernel, a compiler or an installation, and those of notebooks and browsers: run by `npm test`,
 * not by `npm run check`. Both wait a great deal, and so run side by side.
 */
const slow = ['test/job/**/*.test.ts', 'test/project/pack.test.ts', 'test/**/*.slow.test.ts'];
/** tslab can be loaded once a process: these have one of their own. */
const tslab = ['test/kernel/tslab/*.slow.test.ts', 'test/kernel/cells/tslab.slow.test.ts'];
const notebooks = ['test/notebooks/**/*.test.ts', 'test/browser/**/*.test.ts'];

/**
 * Folders whose tests leave nothing behind (no engine, no registry, no environment): their files share one thread, which
 * saves the start and the imports of each. All other files have a process of their own.
 */
const sharing = ['datasets', 'display', 'io', 'manifests', 'preprocessing', 'sensors', 'statistics'].map(
  (folder) => `test/${folder}/**/*.test.ts`,
);

/** Behind the quick ones. (With `singleFork`, files of all projects would wait for one another.) */
const patient = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  sequence: { groupOrder: 1 },
};

const quick = { testTimeout: 20_000, hookTimeout: 30_000, sequence: { groupOrder: 0 } };

export default defineConfig({
  test: {
    // workers and the command line run from dist/, also when tests import src/
    globalSetup: ['test/support/build-dist.ts'],
    pool: 'forks',
    poolOptions: { threads: { isolate: false, minThreads: 1, maxThreads: 1 } },
    maxWorkers: 2,
    minWorkers: 1,
    env: { TF_CPP_MIN_LOG_LEVEL: '2' },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [...slow, ...notebooks, ...sharing],
          ...quick,
        },
      },
      {
        extends: true,
        test: { name: 'data', include: sharing, exclude: slow, pool: 'threads', ...quick },
      },
      { extends: true, test: { name: 'slow', include: slow, exclude: tslab, ...patient } },
      {
        extends: true,
        test: {
          name: 'tslab',
          include: tslab,
          ...{ testTimeout: 300_000, hookTimeout: 300_000, sequence: { groupOrder: 2 } },
        },
      },
      { extends: true, test: { name: 'notebooks', include: notebooks, ...patient } },
    ],
  },
});
