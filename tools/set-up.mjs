// Makes a bare clone ready: packages, dist/, native engine. Plain Node, no dependency, quick when done before.
// usage: node tools/set-up.mjs [--no-engine]
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildSources } from './lib/build.mjs';
import { root, run, runTool, say, seconds, SetUpError } from './lib/process.mjs';

/** @throws SetUpError below 20.19, which cannot `require` the ES modules that a notebook cell asks for */
export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new SetUpError(`Node ${version} is too old: 20.19 or newer is needed.`, 'install Node 20, 22 or 24');
}

const packagesStamp = path.join(root, 'node_modules', '.gondwana-lock-sha256');

/** `npm ci`, unless node_modules came from this very lock file. */
export async function installPackages() {
  const hash = createHash('sha256')
    .update(readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(packagesStamp) && readFileSync(packagesStamp, 'utf8') === hash) return false;
  if (!existsSync(packagesStamp) && lockAgrees()) {
    writeFileSync(packagesStamp, hash); // installed by hand with `npm ci` or `npm install`
    return false;
  }
  const started = performance.now();
  say('installing packages (npm ci) …');
  const { code } = await run('npm', ['ci', '--no-audit', '--no-fund'], { show: true });
  if (code !== 0) {
    throw new SetUpError(
      `npm ci ended with exit code ${code}; its messages stand above.`,
      'check the network and the registry npm is set to (npm config get registry), then run the same command again',
    );
  }
  writeFileSync(packagesStamp, hash);
  say(`packages installed in ${seconds(started)} s`);
  return true;
}

/** npm's own note of what lies in node_modules names the same packages as the lock file. */
function lockAgrees() {
  const note = path.join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(note)) return false;
  const installed = JSON.parse(readFileSync(note, 'utf8')).packages;
  const wanted = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(wanted).every(
    ([place, entry]) =>
      place === '' || entry.optional || entry.link || installed[place]?.version === entry.version,
  );
}

/** Installs the native engine if there is none. A failure is a notice: wasm and cpu still start. */
export async function installEngine() {
  const built = (file) => import(pathToFileURL(path.join(root, 'dist', 'engine', file)).href);
  const { findNativeEngines } = await built('native.js');
  if (findNativeEngines().length > 0) return undefined;
  const started = performance.now();
  say('installing the native engine (275 MB to download, then a compiler run) …');
  const { code } = await run(process.execPath, ['tools/gondwana.mjs', 'engine', 'install'], { show: true });
  if (code === 0) {
    say(`native engine installed in ${seconds(started)} s`);
    return undefined;
  }
  const notice = `ENGINE_NOT_INSTALLED: the native engine could not be installed (exit code ${code}, reason above).`;
  say(
    `${notice}\n  to do: npx gondwana engine install. Until then the slower engines wasm and cpu are used.`,
  );
  return notice;
}

/** All of it; returns the notices. Prints the seconds only where something was done. */
export async function setUp({ engine = true } = {}) {
  checkNode();
  const started = performance.now();
  await installPackages();
  await buildSources();
  const notice = engine ? await installEngine() : undefined;
  say(`set-up: ${seconds(started)} s`);
  return notice ? [notice] : [];
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runTool(async () => {
    await setUp({ engine: !process.argv.includes('--no-engine') });
  });
}
