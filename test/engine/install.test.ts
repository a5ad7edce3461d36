import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { backendSource } from '../../src/engine/compile-addon.js';
import { engineFolder } from '../../src/engine/engine-folder.js';
import { installEngine } from '../../src/engine/install.js';
import { testAddon } from '../../src/engine/load-test.js';
import { findNativeEngines } from '../../src/engine/native.js';
import { readEngineManifest, type EngineManifest } from '../../src/manifests/engine-manifest.js';
import { deliveringPython, failingPython, fakePrograms, NO_NETWORK_OUTPUT } from '../support/fake-program.js';
import { withFullDisk } from '../support/full-disk.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeZip } from '../support/zip-writer.js';

// the real wheel has 274 MB and the real compiler takes 20 s: here both are toys
vi.mock('../../src/manifests/engine-manifest.js', { spy: true });
vi.mock('../../src/engine/load-test.js', { spy: true });

const NAME = 'toy-1.0-cp311-cp311-manylinux_2_27_x86_64.whl';
const wheelContent = writeZip([
  { name: 'tensorflow/libtensorflow_cc.so.2', content: 'library' },
  { name: 'tensorflow/libtensorflow_framework.so.2', content: 'framework' },
  { name: 'tensorflow/include/tensorflow/c/c_api.h', content: '// header' },
  { name: 'tensorflow/python/ops.py', content: 'unwanted' },
]);
const real = await vi.importActual<typeof import('../../src/manifests/engine-manifest.js')>(
  '../../src/manifests/engine-manifest.js',
);
const toyManifest = (freeBytes = 1000): EngineManifest => {
  const sha256 = createHash('sha256').update(wheelContent).digest('hex');
  const wheel = { name: 'toy', version: '1.0', file: NAME, sha256, bytes: wheelContent.length };
  const flavour = { freeBytes, wheel, libraries: [] };
  return { ...real.readEngineManifest(), flavours: { cpu: flavour, gpu: flavour } };
};
const GXX = `if [ "$1" = --version ]; then echo 'g++ toy 1.2'; exit 0; fi
while [ $# -gt 0 ]; do if [ "$1" = -o ]; then out="$2"; fi; shift; done
echo addon > "$out"`;

let cache: string;
let calls: string;

beforeEach(() => {
  cache = path.join(tempFolder(), 'cache');
  vi.stubEnv('GONDWANA_CACHE', cache);
  vi.stubEnv('GONDWANA_KEEP_WHEELS', undefined);
  vi.mocked(readEngineManifest).mockImplementation(() => toyManifest());
  vi.mocked(testAddon).mockResolvedValue(undefined);
});
afterEach(() => void vi.unstubAllEnvs());

function toys(more: Readonly<Record<string, string>> = {}, content: Uint8Array = wheelContent): void {
  const folder = tempFolder();
  calls = path.join(folder, 'calls');
  writeFileSync(calls, '');
  writeFileSync(path.join(folder, 'wheel'), content);
  fakePrograms({
    python3: deliveringPython(path.join(folder, 'wheel'), NAME, calls),
    'g++': GXX,
    strip: 'exit 0',
    ...more,
  });
}

const refusal = (options = {}) =>
  installEngine({ flavour: 'cpu', ...options }).then(
    () => undefined,
    (error: unknown) => error,
  );

/** Files below the cache, apart from empty folders. */
const leftovers = (): string[] =>
  existsSync(cache)
    ? readdirSync(cache, { recursive: true, withFileTypes: true })
        .filter((e) => e.isFile())
        .map((e) => e.name)
    : [];

test('an engine is two libraries, headers, the addon and a stamp, and the wheel is gone', async () => {
  toys();
  const lines: string[] = [];
  const engine = await installEngine({ flavour: 'cpu', onProgress: (line) => lines.push(line) });
  expect(engine.stamp).toMatchObject({
    flavour: 'cpu',
    wheel: 'toy',
    compiler: 'g++ toy 1.2',
    binding: '4.22.0',
  });
  expect(findNativeEngines()[0]).toEqual(engine);
  const wanted = [
    'c_api.h',
    'engine.json',
    'libtensorflow_cc.so.2',
    'libtensorflow_framework.so.2',
    'tfjs_binding.node',
  ];
  expect(leftovers().sort()).toEqual(wanted);
  expect(lines.join('\n')).toMatch(/getting toy 1\.0[^]*unpacking[^]*compiling[^]*testing/);
  expect(readFileSync(calls, 'utf8')).toContain('--python-version 3.11');
});

test('an engine of the same wheel and binding is kept, another one and a forced one are built anew', async () => {
  toys();
  await installEngine({ flavour: 'cpu' });
  await installEngine({ flavour: 'cpu' });
  const count = (): number => readFileSync(calls, 'utf8').trim().split('\n').length;
  expect(count()).toBe(1);
  await installEngine({ flavour: 'cpu', force: true });
  expect(count()).toBe(2);
  writeFileSync(
    path.join(engineFolder('cpu'), 'engine.json'),
    '{"wheelSha256": "other", "binding": "4.22.0"}',
  );
  await installEngine({ flavour: 'cpu' });
  expect(count()).toBe(3);
  expect(readdirSync(path.dirname(engineFolder('cpu')))).toEqual([path.basename(engineFolder('cpu'))]);
});

test('a compiler that refuses our kernels makes the engine without them, and the stamp says so', async () => {
  toys();
  expect((await installEngine({ flavour: 'cpu' })).stamp.fusedKernels).toBe(true);
  toys({ 'g++': `case "$*" in *fused-kernels*) exit 1;; esac\n${GXX}` });
  expect((await installEngine({ flavour: 'cpu', force: true })).stamp.fusedKernels).toBe(false);
});

test('two installations at once both end well', async () => {
  toys();
  const engines = await Promise.all([installEngine({ flavour: 'cpu' }), installEngine({ flavour: 'cpu' })]);
  expect(engines[0]).toEqual(engines[1]);
  expect(readdirSync(path.dirname(engineFolder('cpu')))).toEqual([path.basename(engineFolder('cpu'))]);
});

test('a folder that an older version or a broken copy left without a stamp is replaced', async () => {
  toys();
  mkdirSync(path.join(engineFolder('cpu'), 'tensorflow'), { recursive: true });
  await installEngine({ flavour: 'cpu' });
  expect(findNativeEngines()[0]?.stamp.wheel).toBe('toy');
});

test('GONDWANA_KEEP_WHEELS keeps the wheel, and a kept wheel is used without a download', async () => {
  toys();
  vi.stubEnv('GONDWANA_KEEP_WHEELS', '1');
  await installEngine({ flavour: 'cpu' });
  expect(existsSync(path.join(cache, 'wheels', NAME))).toBe(true);
  vi.stubEnv('GONDWANA_KEEP_WHEELS', undefined);
  await installEngine({ flavour: 'cpu', force: true });
  expect(readFileSync(calls, 'utf8').trim().split('\n')).toHaveLength(1);
});

test.each<[string, Readonly<Record<string, string>>, RegExp]>([
  ['NO_COMPILER', { 'g++': 'exit 127' }, /apt install g\+\+/],
  ['NO_PIP', { python3: failingPython('/usr/bin/python3: No module named pip') }, /pip/],
  ['NO_NETWORK', { python3: failingPython(NO_NETWORK_OUTPUT) }, /network/],
  [
    'ENGINE_COMPILE',
    {
      'g++':
        'if [ "$1" = --version ]; then echo g++; exit 0; fi; echo "x.cc:1: fatal error: napi.h: No such file" >&2; exit 1',
    },
    /C\+\+17/,
  ],
  [
    'DISK_FULL',
    {
      'g++':
        'if [ "$1" = --version ]; then echo g++; exit 0; fi; echo "ld: final link failed: No space left on device" >&2; exit 1',
    },
    /space/,
  ],
])('%s leaves nothing behind and says what to do', async (code, scripts, hint) => {
  toys(scripts);
  expect(await refusal()).toMatchObject({ code, hint: expect.stringMatching(hint) as string });
  expect(leftovers()).toEqual([]);
});

test('the first error of the compiler is in the message, its last lines in the cause', async () => {
  toys({
    'g++':
      'if [ "$1" = --version ]; then echo g++; exit 0; fi; echo "a.cc:1:2: error: no such thing" >&2; exit 1',
  });
  const error = (await refusal()) as Error;
  expect(error.message).toContain('error: no such thing');
  expect((error.cause as Error).message).toContain('a.cc:1:2');
});

test('a wheel with another hash is HASH_MISMATCH', async () => {
  toys(
    {},
    writeZip([
      { name: 'a', content: 'other, but as long a file as the wanted one'.padEnd(wheelContent.length) },
    ]),
  );
  expect(await refusal()).toMatchObject({ code: 'HASH_MISMATCH' });
  expect(leftovers()).toEqual([]);
});

test('an addon that does not load is ENGINE_BROKEN, and an engine that was there stays', async () => {
  toys();
  await installEngine({ flavour: 'cpu' });
  const { testAddon: realTest } = await vi.importActual<typeof import('../../src/engine/load-test.js')>(
    '../../src/engine/load-test.js',
  );
  vi.mocked(testAddon).mockImplementation(realTest);
  expect(await refusal({ force: true })).toMatchObject({
    code: 'ENGINE_BROKEN',
    message: expect.stringMatching(/file too short|invalid ELF|not a valid|cannot open/) as string,
  });
  expect(findNativeEngines()[0]?.stamp.wheel).toBe('toy');
});

test('too little space is found before anything is downloaded', async () => {
  toys();
  vi.mocked(readEngineManifest).mockImplementation(() => toyManifest(1e15));
  expect(await refusal()).toMatchObject({
    code: 'DISK_FULL',
    message: expect.stringMatching(/takes 1000000\.0 GB/) as string,
  });
  expect(readFileSync(calls, 'utf8')).toBe('');
  expect(leftovers()).toEqual([]);
});

withFullDisk(
  'a disk that fills up while the wheel is unpacked is DISK_FULL and leaves nothing',
  async (folder) => {
    const large = writeZip([
      { name: 'tensorflow/libtensorflow_cc.so.2', content: new Uint8Array(3 * 2 ** 20), deflate: true },
    ]);
    const sha256 = createHash('sha256').update(large).digest('hex');
    const manifest = toyManifest();
    const wheel = { ...manifest.flavours.cpu.wheel, sha256, bytes: large.length };
    vi.mocked(readEngineManifest).mockImplementation(() => ({
      ...manifest,
      flavours: { ...manifest.flavours, cpu: { ...manifest.flavours.cpu, wheel } },
    }));
    toys({}, large);
    cache = folder;
    vi.stubEnv('GONDWANA_CACHE', folder);
    expect(await refusal()).toMatchObject({ code: 'DISK_FULL' });
    expect(leftovers()).toEqual([]);
  },
);

test('other platforms are UNSUPPORTED_PLATFORM', async () => {
  toys();
  const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin');
  expect(await refusal()).toMatchObject({ code: 'UNSUPPORTED_PLATFORM' });
  platform.mockRestore();
});

test('an aborted installation stops its child and leaves nothing', async () => {
  toys({ 'g++': 'if [ "$1" = --version ]; then echo g++; exit 0; fi; exec sleep 30' });
  const controller = new AbortController();
  const onProgress = (line: string): void =>
    void (line.startsWith('compiling') && setTimeout(() => controller.abort(), 100));
  expect(await refusal({ signal: controller.signal, onProgress })).toMatchObject({
    code: 'STOPPED',
    exitCode: 130,
  });
  expect(leftovers()).toEqual([]);
});

test('the wheels of the real manifest are pinned by hash, and those of the GPU are named', () => {
  const { version, flavours } = real.readEngineManifest();
  expect(flavours.cpu.wheel).toMatchObject({ name: 'tensorflow-cpu', version });
  expect(flavours.gpu.libraries.map(({ name }) => name)).toContain('nvidia-cudnn-cu12');
  expect(engineFolder('cpu')).toContain(version);
});

test('the binding that is compiled takes lists of texts and of types as attributes of an op', () => {
  const source = backendSource();
  for (const call of ['StringList(', 'String(', 'TypeList(', 'Type(']) {
    expect(source.split(`TFE_OpSetAttr${call}`).length).toBe(2);
  }
});
