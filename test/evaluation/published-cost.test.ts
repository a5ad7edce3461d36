import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { EncoderDescription, ModelCost } from '../../src/evaluation/cost-types.js';
import { modelCost } from '../../src/evaluation/model-cost.js';
import { root } from '../support/needs.js';
import { gfmSwin, satlasNet, unetEncoder } from '../support/pangaea-encoders.js';

/**
 * How attention counts in the published number: its products but not its projections, its projections but not its
 * products, or nothing to tell.
 */
type Attention = 'products' | 'projections' | 'none';

interface Row {
  readonly encoder: string | EncoderDescription;
  readonly attention: Attention;
  readonly decoder?: string;
}

/** Rows of PANGAEA's Table 4 by its name for the encoder; `croma` is the optical one. */
const rows: Readonly<Record<string, Row>> = {
  croma: { encoder: 'croma-optical', attention: 'projections' },
  dofa: { encoder: 'dofa-base', attention: 'products' },
  'gfm-swin': { encoder: gfmSwin, attention: 'projections' },
  prithvi: { encoder: 'prithvi-v1-100m', attention: 'products' },
  remoteclip: { encoder: 'remoteclip', attention: 'projections' },
  satlasnet: { encoder: satlasNet, attention: 'products' },
  scalemae: { encoder: 'scale-mae', attention: 'products' },
  spectralgpt: { encoder: 'spectralgpt', attention: 'projections' },
  'ssl4eo-moco': { encoder: 'ssl4eo-moco', attention: 'products' },
  'ssl4eo-dino': { encoder: 'ssl4eo-dino', attention: 'projections' },
  'ssl4eo-mae': { encoder: 'ssl4eo-mae', attention: 'products' },
  'ssl4eo-data2vec': { encoder: 'ssl4eo-data2vec', attention: 'products' },
  unet: { encoder: unetEncoder(13), attention: 'none', decoder: 'unet-pangaea' },
  vit: { encoder: 'vit-b16-scratch', attention: 'products' },
};

const table = readFileSync(path.join(root, 'test/fixtures/published/pangaea-table-04.csv'), 'utf8');
const published = (model: string, metric: string): number => {
  const line = table.split('\n').find((one) => one.startsWith(`4,${model},`) && one.includes(`,${metric},`));
  return Number(line!.split(',').at(-1));
};

/** The count by the table's rules: each output pixel of a transposed convolution of stride 2 meets the whole kernel. */
function asPublished({ byLayers, ...cost }: ModelCost, attention: Attention): number {
  const encoder = byLayers.filter(({ part }) => part === 'encoder');
  const projections = encoder
    .filter(({ layer }) => /(^|\/)attn\/(qkv|proj)$/.test(layer))
    .reduce((sum, row) => sum + row.multiplyAdds - row.activationProducts, 0);
  const base = cost.multiplyAdds + 3 * cost.transposedConvolutions;
  return attention === 'products' ? base - projections : base - cost.activationProducts;
}

const documented = readFileSync(path.join(root, 'docs/decisions/0013-costs-from-shapes.md'), 'utf8');
const billions = (count: number): string => (count / 1e9).toFixed(2);
const percent = (ours: number, theirs: number): string => `${(100 * (ours / theirs - 1)).toFixed(1)} %`;

describe('PANGAEA, Table 4', () => {
  it.each(Object.entries(rows))('%s has the multiply–adds that are published', async (name, row) => {
    const cost = await modelCost(row.encoder, { decoder: row.decoder ?? 'upernet' });
    const printed = published(name, 'gmacs');
    const byItsRules = asPublished(cost, row.attention);
    // beside products it counts normalisations and the like, up to 0.5 %
    expect(Math.abs(byItsRules / 1e9 / printed - 1)).toBeLessThan(0.01);
    const trainable =
      name === 'vit'
        ? cost.parameters
        : cost.decoder === 'upernet'
          ? cost.decoderParameters
          : cost.parameters;
    // printed with two digits behind the point
    expect(trainable / 1e6 / published(name, 'trainable_params_M')).toBeCloseTo(1, 3);
    const cells = [
      name,
      printed.toFixed(2),
      billions(cost.multiplyAdds),
      percent(cost.multiplyAdds / 1e9, printed),
      billions(byItsRules),
      percent(byItsRules / 1e9, printed),
      row.attention,
      (cost.parameters / 1e6).toFixed(1),
      String(published(name, 'total_params_M')),
    ];
    expect(documented.replaceAll(/ +/g, ' ')).toContain(`| ${cells.join(' | ')} |`);
  });

  it.each([
    ['gfm-swin', 19.16],
    ['ssl4eo-moco', 46.16],
  ])('and %s is within 2 % even counted plainly', async (name, plain) => {
    const { encoder } = rows[name]!;
    const { multiplyAdds } = await modelCost(encoder, { decoder: 'upernet' });
    expect(multiplyAdds / 1e9).toBeCloseTo(plain, 2);
    expect(Math.abs(plain / published(name, 'gmacs') - 1)).toBeLessThan(0.02);
  });
});
