/** A probe has weights for each class: a label beyond is an identifier or a measurement, and would end in want of memory. */
export const MAX_CLASSES = 1_000_000;

export const isClassIndex = (label: unknown): label is number =>
  Number.isInteger(label) && (label as number) >= 0 && (label as number) < MAX_CLASSES;
