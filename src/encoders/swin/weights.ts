import type { WeightRules } from '../encoder.js';

/** What files carry though it is computed. */
export const COMPUTED_TABLES = [/\.relative_position_index$/, /\.relative_coords_table$/, /\.attn_mask$/];

/**
 * torchvision's names: modules 2s + 1 are stages, 2s the mergings between them.
 * @param prefix a pattern of what stands before the names
 */
export function torchvisionRules(depths: readonly number[], prefix = ''): WeightRules['rename'] {
  const at = (name: string): RegExp => new RegExp(`^${prefix}${name}\\.`);
  return [
    [at('features\\.0\\.0'), 'patch_embed.proj.'],
    [at('features\\.0\\.2'), 'patch_embed.norm.'],
    ...depths.flatMap((_, stage) => [
      // 0 is the embedding, whose rules stand before
      [at(`features\\.${2 * stage}`), `layers.${stage}.downsample.`] as const,
      [at(`features\\.${2 * stage + 1}\\.(\\d+)\\.mlp\\.0`), `layers.${stage}.blocks.$1.mlp.fc1.`] as const,
      [at(`features\\.${2 * stage + 1}\\.(\\d+)\\.mlp\\.3`), `layers.${stage}.blocks.$1.mlp.fc2.`] as const,
      [at(`features\\.${2 * stage + 1}\\.(\\d+)`), `layers.${stage}.blocks.$1.`] as const,
    ]),
    [at('norm'), 'norm.'],
  ];
}

/**
 * The original's names: the merging belongs to the stage that it follows.
 * @param prefix a pattern of what stands before the names
 */
export function originalRules(depths: readonly number[], prefix = ''): WeightRules['rename'] {
  return [
    ...depths.map(
      (_, stage) =>
        [
          new RegExp(`^${prefix}layers\\.${stage}\\.downsample\\.`),
          `layers.${stage + 1}.downsample.`,
        ] as const,
    ),
    [new RegExp(`^${prefix}(?=patch_embed|layers|norm)`), ''],
  ];
}
