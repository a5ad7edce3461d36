// Compiles the kernels of the GeoTIFF reader from AssemblyScript into src/io/geotiff/kernels-wasm.ts.
// usage: node tools/wasm/build.mjs, after a change of raster-kernels.as. The compiler comes by npx; only this needs it.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const COMPILER = 'assemblyscript@0.28.20';
const root = path.resolve(import.meta.dirname, '../..');
const source = path.join(import.meta.dirname, 'raster-kernels.as');
const target = path.join(root, 'src/io/geotiff/kernels-wasm.ts');

const folder = mkdtempSync(path.join(tmpdir(), 'gondwana-wasm-'));
try {
  const out = path.join(folder, 'kernels.wasm');
  const options = [
    '-O3',
    '--converge',
    '--runtime',
    'stub',
    '--enable',
    'simd',
    '--noAssert',
    '--memoryBase',
    '61440',
  ];
  copyFileSync(source, path.join(folder, 'kernels.ts'));
  const args = ['--yes', '-p', COMPILER, 'asc', path.join(folder, 'kernels.ts'), '-o', out];
  const { status } = spawnSync('npx', [...args, ...options, '--initialMemory', '2'], {
    cwd: folder,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  const digest = createHash('sha256').update(readFileSync(source)).digest('hex');
  const lines = readFileSync(out)
    .toString('base64')
    .match(/.{1,108}/g);
  writeFileSync(
    target,
    `// Made by tools/wasm/build.mjs from tools/wasm/raster-kernels.as with ${COMPILER}: change that file, not this one.\n\n` +
      `/** sha256 of the source that \`KERNELS\` was compiled from. */\nexport const KERNELS_SOURCE = '${digest}';\n\n` +
      `/** WebAssembly, base64. */\nexport const KERNELS = [\n${lines.map((line) => `  '${line}',\n`).join('')}].join('');\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
