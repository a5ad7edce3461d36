import { describe, expect, it } from 'vitest';
import { readDatasetManifest } from '../../src/manifests/dataset-manifest.js';
import { readEncoderManifest } from '../../src/manifests/encoder-manifest.js';
import { protocolProblem, readProtocolManifest } from '../../src/manifests/protocol-manifest.js';
import { listManifests } from '../../src/manifests/read-manifest.js';

describe('every manifest', () => {
  it.each(listManifests('encoders'))('of an encoder is valid: %s', (id) => {
    const { id: own, features } = readEncoderManifest(id);
    expect(own).toBe(id);
    const strides = features.map(({ stride }) => stride);
    expect(strides).toEqual([...strides].sort((a, b) => a - b));
  });

  it.each(listManifests('protocols'))('of a protocol is valid: %s', (id) => {
    expect(readProtocolManifest(id).id).toBe(id);
  });
});

describe('manifests that are wanted and not there', () => {
  it('are an error with the nearest id', () => {
    expect(() => readDatasetManifest('neon-crown')).toThrowError(
      expect.objectContaining({ code: 'MANIFEST_UNKNOWN', hint: expect.stringContaining('"neon-crowns"') }),
    );
  });
});

describe('protocol settings', () => {
  const { settings } = readProtocolManifest('neon-crowns');

  it('that are complete have no problem', () => {
    expect(protocolProblem(settings)).toBeUndefined();
  });

  it.each([
    [{ epochs: 0 }, /^epochs/],
    [{ learningRate: 'fast' }, /^learningRate/],
    [{ flipProbability: 2 }, /^flipProbability/],
    [{ momentum: 1.9 }, /momentum/],
    [{ inertia: 0.9 }, /inertia/],
  ])('that are wrong are named: %o', (change, message) => {
    expect(protocolProblem({ ...settings, ...change })).toMatch(message);
  });
});
