import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { importTypeScript } from '../../../src/studies/import-typescript.js';
import { listManifests } from '../../../src/manifests/read-manifest.js';
import { readSearchManifest } from '../../../src/manifests/search-manifest.js';
import { root } from '../../support/needs.js';
import { tempFolder } from '../../support/temp-folder.js';

const guide = readFileSync(path.join(root, 'docs', 'guide', 'searches.md'), 'utf8');

it('the code in docs/guide/searches.md runs as it stands', async () => {
  const file = path.join(tempFolder(), 'search.ts');
  writeFileSync(file, `${/```ts\n([\s\S]+?)```/.exec(guide)![1]!}\nexport { best, stored };`);
  const { exports } = await importTypeScript(
    { path: file, code: 'STUDY_FILE', what: 'study' },
    (cause) => cause as Error,
  );
  expect(exports['stored']).toHaveLength(16);
  expect(exports['best']).toMatchObject({ state: 'complete' });
});

it.each(listManifests('searches'))('the guide has the row of %s', (id) => {
  const { sampler, trialCount } = readSearchManifest(id);
  const row = new RegExp(`\\| \`${id}\` +\\| ${sampler} +\\| ${trialCount} +\\|`, 'i');
  expect(guide).toMatch(row);
});
