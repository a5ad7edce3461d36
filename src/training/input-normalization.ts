/** `model`: by the numbers that the checkpoint was trained with; the others by those of the dataset. */
export const INPUT_NORMALIZATIONS = ['z-score', 'min-max', 'percentile', 'model', 'none'] as const;
export type InputNormalization = (typeof INPUT_NORMALIZATIONS)[number];
