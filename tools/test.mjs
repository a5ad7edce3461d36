// Sets up what the tests need, then runs all checks and tests. usage: node tools/test.mjs
// Last line on stdout: `N passed, N failed`, with `, N skipped` where something could not run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { checks, runChecks, runVitest } from './lib/checks.mjs';
import { runTool, say } from './lib/process.mjs';
import { installBrowser, installJupyter, installSlurm } from './lib/test-needs.mjs';
import { setUp } from './set-up.mjs';

await runTool(async () => {
  const notices = await setUp();
  const missing = {
    jupyter: await installJupyter(),
    browser: await installBrowser(),
    slurm: await installSlurm(),
  };
  const failedChecks = await runChecks({ fresh: true });
  const scratch = mkdtempSync(path.join(tmpdir(), 'gondwana-test-'));
  const env = { GONDWANA_TEST_MISSING: JSON.stringify(missing), TF_CPP_MIN_LOG_LEVEL: '2' };
  const projects = ['unit', 'data', 'slow', 'notebooks', 'tslab'];
  const tests = await runVitest(projects, path.join(scratch, 'report.json'), env);
  rmSync(scratch, { recursive: true });

  for (const line of tests.slowest) say(line);
  const failed = [...failedChecks, ...tests.broken, ...tests.failed];
  const passed = Object.keys(checks).length - failedChecks.length + tests.passed;
  for (const notice of notices) say(`notice: ${notice}`);
  for (const [need, reason] of Object.entries(missing)) if (reason) say(`not met: ${need}: ${reason}`);
  for (const name of tests.skipped) say(`not run: ${name}`);
  for (const name of failed) say(`failed: ${name}`);
  const skipped = tests.skipped.length > 0 ? `, ${tests.skipped.length} skipped` : '';
  process.stdout.write(`${passed} passed, ${failed.length} failed${skipped}\n`);
  return failed.length > 0 || tests.passed === 0 ? 1 : 0;
});
