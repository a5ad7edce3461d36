import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFixtureParity } from '../../src/parity/fixtures/run-fixture.js';
import { root } from '../support/needs.js';

const folder = path.join(root, 'test', 'fixtures', 'parity');

describe('detectors and their parts beside torchvision', () => {
  it.each(readdirSync(path.join(folder, 'detection')))(
    '%s gives the numbers of the reference',
    async (name) => {
      const entry = { area: 'detection', id: `detection/${name}` };
      expect(await runFixtureParity(path.join(folder, entry.id), entry)).toBeUndefined();
    },
  );
});
