import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteCheckout, softwareVersions } from '../../src/studies/versions.js';
import { root } from '../support/needs.js';

const COMMIT = /^(none|[0-9a-f]{12}( \+ changes)?)$/;

describe('what a record says of the software', () => {
  it('names package, commit, Node and system', async () => {
    const versions = await softwareVersions();
    expect(Object.keys(versions)).toEqual(['gondwana', 'commit', 'node', 'operatingSystem']);
    expect(versions.commit).toMatch(COMMIT);
  });

  it.skipIf(!existsSync(path.join(root, '.git')))(
    'is what was noted of the checkout where that is unchanged, and asked anew where it is not',
    async () => {
      const { state, commit } = (await noteCheckout())!;
      expect(commit).toMatch(COMMIT);
      const noted = { state, commit: '0123456789ab' };
      expect((await softwareVersions(noted)).commit).toBe('0123456789ab');
      expect((await softwareVersions({ ...noted, state: 'another' })).commit).not.toBe('0123456789ab');
    },
  );
});
