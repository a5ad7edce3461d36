// Compiles src/ into dist/. usage: node tools/build.mjs [--force]
import { buildSources } from './lib/build.mjs';
import { runTool, say } from './lib/process.mjs';
import { checkNode, installPackages } from './set-up.mjs';

await runTool(async () => {
  checkNode();
  await installPackages();
  if (!(await buildSources({ force: process.argv.includes('--force') }))) say('dist/ is up to date');
});
