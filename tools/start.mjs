// Sets everything up and runs the main job. usage: node tools/start.mjs [--quick]
// Last line on stdout: the path of the report. Ctrl-C keeps every finished run; the same command goes on.
import { setUp } from './set-up.mjs';
import { root, runTool } from './lib/process.mjs';

await runTool(async () => {
  await setUp();
  process.chdir(root);
  process.env.TF_CPP_MIN_LOG_LEVEL ??= '2';
  // in this process, so that signals reach the job itself
  const { main } = await import('../dist/cli/main.js');
  return main(['run', 'quickstart', '--report', 'reports/quickstart/index.html', ...process.argv.slice(2)]);
});
