// Format, lint, types, unit tests: green before every commit. usage: node tools/check.mjs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runChecks, runVitest } from './lib/checks.mjs';
import { runTool, say, seconds } from './lib/process.mjs';
import { setUp } from './set-up.mjs';

await runTool(async () => {
  await setUp();
  const started = performance.now();
  const failedChecks = await runChecks();
  const scratch = mkdtempSync(path.join(tmpdir(), 'gondwana-check-'));
  const tests = await runVitest(['unit', 'data'], path.join(scratch, 'report.json'));
  rmSync(scratch, { recursive: true });
  const failed = [...failedChecks, ...tests.broken, ...tests.failed];
  say(`checked in ${seconds(started)} s`);
  for (const name of failed) say(`failed: ${name}`);
  return failed.length > 0 || tests.passed === 0 ? 1 : 0;
});
