#!/usr/bin/env node
// The command line. Kept so small and old-fashioned that any Node reads it and can be told that it is too old.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `NODE_TOO_OLD: Node ${process.versions.node} is too old: Gondwana needs 20.19 or newer.\n`,
  );
  process.exit(1);
}
// TensorFlow's library reads this when it is loaded, and only from the environment of the process
process.env.TF_CPP_MIN_LOG_LEVEL ??= '2';

// until the command says otherwise: a process that ends early has not done its work
process.exitCode = 1;

// these begin from one file (src/cli/start-bundle.ts, docs/decisions/0027)
const bundles = { worker: 'task', status: 'status' };
const argv = process.argv.slice(2);
const bundle = Object.hasOwn(bundles, argv[0] ?? '') ? [bundles[argv[0]]] : [];
const program = bundle.length > 0 ? 'start-bundle' : 'main';

import(`../dist/cli/${program}.js`).then(
  async ({ main }) => {
    process.exitCode = await main(...bundle, argv);
    // a timer or worker that was left open does not hold the command back
    setTimeout(() => process.exit(), 1000).unref();
  },
  (error) => {
    const missing =
      error.code === 'ERR_MODULE_NOT_FOUND' && /dist.cli.(main|start-bundle)\.js/.test(error.message);
    process.stderr.write(
      missing ? 'NOT_BUILT: dist/ is missing.\n  to do: npm run build\n' : `${error.stack}\n`,
    );
    process.exitCode = 1;
  },
);
