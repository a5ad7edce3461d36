import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gondwana } from '../support/command-line.js';
import { fixture, fixtureCopy } from '../support/fixture-copy.js';
import { tempFolder } from '../support/temp-folder.js';

const hls = fixture('pangaea/hlsburnscars');

interface Finding {
  readonly severity: string;
  readonly code: string;
  readonly where: string;
}

describe('gondwana data info', () => {
  it('knows a dataset of a plugin that says nothing of its sensor', async () => {
    const plugin = path.join(tempFolder(), 'fields.mjs');
    const pairs = "{ images: '{split}/images', masks: '{split}/labels' }";
    writeFileSync(
      plugin,
      `import { defineDataset } from 'gondwana';
      export const fields = defineDataset('my-fields', { manifest: { task: 'segmentation',
        modalities: { optical: { bands: ['blue', 'red'] } }, classes: ['no', 'field'], pairs: ${pairs} } });`,
    );
    const { code, stdout } = await gondwana(['data', 'info', 'my-fields', '--plugin', plugin, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 'my-fields', sensors: [] });
  });
});

describe('gondwana data check', () => {
  it('prints one document, progress on stderr, and ends with 1 where a finding is an error', async () => {
    const { code, stdout, stderr } = await gondwana(['data', 'check', 'hls-burn-scars', hls, '--json']);
    expect(code).toBe(1);
    const check = JSON.parse(stdout) as { isFine: boolean; findings: Finding[] };
    expect(check.isFine).toBe(false);
    expect(check.findings.filter(({ severity }) => severity === 'error').map((one) => one.code)).toEqual(
      Array(3).fill('SPLIT_COUNT'),
    );
    expect(stderr).toContain('checking hls-burn-scars');
  });

  it('ends with 0 where nothing is wrong, and takes mode, faults and parameters', async () => {
    const sites = JSON.stringify({ train: ['L15-0331E-1257N_1327_3160_13'], val: [], test: [] });
    const spacenet = await gondwana([
      ...['data', 'check', 'spacenet7-change', fixture('pangaea/spacenet7'), '--json'],
      ...['--mode', 'as-published', '--fault', 'first-and-middle=off', '--parameter', `sites=${sites}`],
    ]);
    const check = JSON.parse(spacenet.stdout) as {
      mode: string;
      faults: Record<string, boolean>;
      splits: { listed: number }[];
    };
    expect(check.mode).toBe('as-published');
    expect(check.faults['first-and-middle']).toBe(false);
    expect(check.splits[0]!.listed).toBe(1);
    const fine = await gondwana(['data', 'check', 'ai4smallfarms', fixture('pangaea/ai4smallfarms')]);
    expect(fine.code, fine.stdout).toBe(0);
    expect(fine.stdout).toContain('ai4smallfarms: no errors');
  });

  it('tells wrong options with 2, and a folder that is not there with 3', async () => {
    for (const option of [
      ['--fault', 'invalid-filled'],
      ['--fault', 'nothing=on'],
      ['--limit', '0'],
      ['--mode', 'x'],
      ['--split', 'tran'],
    ]) {
      const { code, stdout } = await gondwana(['data', 'check', 'hls-burn-scars', hls, '--json', ...option]);
      expect(code, option.join(' ')).toBe(2);
      expect((JSON.parse(stdout) as { error: { hint: string } }).error.hint).not.toBe('');
    }
    const { code, stdout } = await gondwana([
      'data',
      'check',
      'hls-burn-scars',
      path.join(hls, 'none'),
      '--json',
    ]);
    expect(code).toBe(3);
    expect((JSON.parse(stdout) as { error: { code: string } }).error.code).toBe('FOLDER_MISSING');
  });

  it('stops within a second of Ctrl-C with 130', async () => {
    const folder = tempFolder();
    const plugin = path.join(folder, 'slow.ts');
    writeFileSync(plugin, SLOW);
    for (const command of ['check', 'stats', 'preview']) {
      let at = NaN;
      const { code, stdout } = await gondwana(
        [
          'data',
          command,
          'slow',
          folder,
          '--plugin',
          plugin,
          '--json',
          ...(command === 'preview' ? ['--count', '900'] : ['--all']),
        ],
        {
          onStart: (child) => {
            child.stderr!.once('data', () => {
              at = performance.now();
              child.kill('SIGINT');
            });
          },
        },
      );
      expect(performance.now() - at, command).toBeLessThan(1000);
      expect(code, command).toBe(130);
      expect((JSON.parse(stdout) as { error: { code: string } }).error.code).toBe('STOPPED');
    }
  });
});

/** A dataset whose thousand samples take 30 s to read. */
const SLOW = `
import { defineDataset } from 'gondwana';
export const slow = defineDataset('slow', {
  manifest: { task: 'classification', modalities: { optical: { bands: ['a'] } }, classes: ['x'], splits: ['train'] },
  entries: () => Array.from({ length: 1000 }, (_, i) => ({ id: String(i) })),
  read: async () => {
    await new Promise((resolve) => setTimeout(resolve, 30));
    const image = { data: new Uint8Array(1), timeCount: 1, height: 1, width: 1, bands: ['a'], dates: [null], valid: null, storedType: 'uint8', crs: null, transform: null, nodata: null } as const;
    return { images: { optical: image }, target: { kind: 'class', label: 0 } } as const;
  },
});
`;

describe('gondwana data stats', () => {
  it('prints what a manifest takes, and ends with 1 where a sample cannot be read', async () => {
    const { code, stdout } = await gondwana(['data', 'stats', 'hls-burn-scars', hls, '--json']);
    expect(code).toBe(0);
    const { manifest } = JSON.parse(stdout) as {
      manifest: { modalities: { optical: { statistics: { mean: number[] }[] } } };
    };
    expect(manifest.modalities.optical.statistics[0]!.mean).toHaveLength(6);
    const root = fixtureCopy('pangaea/hlsburnscars');
    const [image] = readdirSync(path.join(root, 'training')).filter((name) => name.endsWith('_merged.tif'));
    truncateSync(path.join(root, 'training', image!), 500);
    const broken = await gondwana(['data', 'stats', 'hls-burn-scars', root, '--limit', '50']);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toMatch(/cannot be read: TRUNCATED/);
  });
});

describe('gondwana data preview', () => {
  it('writes a page, or a folder with a PNG a sample', async () => {
    const folder = tempFolder();
    const page = await gondwana(
      ['data', 'preview', 'gb2-caffe', fixture('geobench2/caffe'), '--count', '1'],
      { cwd: folder },
    );
    expect(page.code, page.stderr).toBe(0);
    expect(page.stdout.trim()).toBe('gb2-caffe-preview.html');
    expect(statSync(path.join(folder, 'gb2-caffe-preview.html')).size).toBeGreaterThan(10_000);
    const out = path.join(folder, 'pages');
    const { stdout } = await gondwana([
      ...['data', 'preview', 'gb2-caffe', fixture('geobench2/caffe'), '--json', '--out', out],
      ...['--sample', 'sample_1', '--sample', 'sample_0'],
    ]);
    const { samples, places } = JSON.parse(stdout) as {
      samples: { id: string }[];
      places: { drawn: number };
    };
    expect(samples.map(({ id }) => id)).toEqual(['sample_1', 'sample_0']);
    expect(places.drawn).toBeGreaterThan(0);
    expect(readdirSync(out).sort()).toEqual(['index.html', 'train-sample_0.png', 'train-sample_1.png']);
  });
});

describe('gondwana data get', () => {
  it('says licence, size, citation, files and steps, and fetches nothing by itself', async () => {
    const { code, stdout } = await gondwana(['data', 'get', 'hls-burn-scars', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      way: 'files',
      licence: 'CC-BY-4.0',
      size: 'about 2.65 GB, packed',
      files: [{ name: 'hls_burn_scars.tar.gz', url: expect.stringMatching(/^https:/) as string }],
      steps: [
        'gondwana data get hls-burn-scars --out DIR',
        'tar -xf DIR/hls_burn_scars.tar.gz -C DIR',
        'gondwana data check hls-burn-scars DIR',
      ],
    });
  });

  it('lists the steps and ends with 3 where a host gives nothing without an account', async () => {
    const out = path.join(tempFolder(), 'xview2');
    const { code, stdout } = await gondwana(['data', 'get', 'xview2', '--out', out, '--json']);
    expect(code).toBe(3);
    const { error } = JSON.parse(stdout) as { error: { code: string; hint: string } };
    expect(error.code).toBe('DATASET_BY_HAND');
    expect(error.hint).toContain('Register');
  });
});
