import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { defineDecoder, registerDecoder, resolveDecoder } from '../../src/decoders/index.js';
import { getNeck, necks } from '../../src/decoders/necks/registry.js';
import { getDecoder } from '../../src/decoders/registry.js';
import { getTemporalFusion, temporalFusions } from '../../src/decoders/temporal/registry.js';
import { modelCost } from '../../src/evaluation/model-cost.js';
import { digestOfOwn } from '../../src/registry.js';
import { loadPlugin } from '../../src/studies/load-plugin.js';
import { root } from '../support/needs.js';
import { tempFolder } from '../support/temp-folder.js';

const mine = (id: string, width = 8) =>
  defineDecoder(id, {
    build(scope, { features, classCount }) {
      scope.parameter('kernel', [features[0]!.channels, width], () => new Float32Array(), 'kernel');
      return ([map]) => map!.slice([0, 0, 0, 0], [-1, -1, -1, classCount]);
    },
  });

describe('a decoder of one’s own', () => {
  it('goes as it is, and by its id once it is registered', async () => {
    const one = mine('my-own');
    expect(await resolveDecoder(one)).toBe(one);
    await expect(resolveDecoder('my-own')).rejects.toMatchObject({ code: 'DECODER_UNKNOWN' });
    registerDecoder(one);
    const first = digestOfOwn('decoder', 'my-own');
    registerDecoder(defineDecoder('my-own', { takesPyramid: true, build: one.build }));
    expect((await resolveDecoder('my-own')).takesPyramid).toBe(true);
    expect(digestOfOwn('decoder', 'my-own')).not.toBe(first);
    expect((await modelCost('resnet18-random', { size: 64, decoder: one })).decoder).toBe('my-own');
  });

  it('does not take an id of ours, nor another name of one', () => {
    for (const id of ['upernet', 'SegUPerNet', 'faster-rcnn', 'mask-rcnn'])
      expect(() => registerDecoder(mine(id))).toThrow(expect.objectContaining({ code: 'ID_TAKEN' }));
  });

  it('is what defineDecoder makes', async () => {
    await expect(resolveDecoder({ id: 'nothing' })).rejects.toMatchObject({ code: 'DECODER_INVALID' });
  });

  it('comes with a plugin, as the guide writes it', async () => {
    const guide = readFileSync(path.join(root, 'docs', 'guide', 'decoders.md'), 'utf8');
    const snippet = /## A decoder of your own\s+```ts\n([\s\S]+?)```/.exec(guide)![1]!;
    const file = path.join(tempFolder(), 'mine.ts');
    writeFileSync(file, `${snippet}\nexport { mine };\nexport const cost = own.decoder;\n`);
    expect(await loadPlugin(file)).toMatchObject({ decoders: ['my-decoder'], encoders: [] });
    const { decoderParameters } = await modelCost('resnet18-random', {
      ...{ size: 64, decoder: 'my-decoder', classCount: 3 },
    });
    expect(decoderParameters).toBe(512 * 3 + 3);
  });
});

describe('names in the references’ configurations', () => {
  it('lead to the same decoder, neck or fusion', async () => {
    expect((await getDecoder('RegUPerNet')).id).toBe('upernet');
    expect((await getDecoder('UNetDecoder')).id).toBe('unet-smp');
    expect((await getDecoder('ScalarHead')).predicts).toBe('images');
    expect(await getNeck('LearnedInterpolateToPyramidal')).toBe(await necks['learned-pyramid-neck']());
    expect(await getTemporalFusion('linear')).toBe(await temporalFusions['temporal-linear']());
    await expect(resolveDecoder('toString')).rejects.toMatchObject({ code: 'DECODER_UNKNOWN' });
  });
});
