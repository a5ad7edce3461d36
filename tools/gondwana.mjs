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

/** @returns exit code */
async function runCommandLine(argv) {
  if (Object.hasOwn(bundles, argv[0] ?? '')) {
    const { startBundle } = await import('../dist/cli/start-bundle.js');
    return startBundle(bundles[argv[0]], argv);
  }
  const { main } = await import('../dist/cli/main.js');
  return main(argv);
}

const isMissing = ({ code, message }) =>
  ['ERR_MODULE_NOT_FOUND', 'ENOENT'].includes(code) &&
  /dist.cli.(main\.js|start-bundle\.js|\w+\.bundle\.cjs)/.test(message);

runCommandLine(process.argv.slice(2)).then(
  (exitCode) => {
    process.exitCode = exitCode;
    // a timer or worker that was left open does not hold the command back
    setTimeout(() => process.exit(), 1000).unref();
  },
  (error) => {
    process.stderr.write(
      isMissing(error)
        ? 'NOT_BUILT: dist/ is missing, or not whole.\n  to do: npm run build\n'
        : `${error.stack}\n`,
    );
    process.exitCode = 1;
  },
);
