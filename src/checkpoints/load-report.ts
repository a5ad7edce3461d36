import { InputError, nearest } from '../errors.js';

/** How names of a checkpoint become names of a model; the first rename rule that matches a name applies. */
export interface MatchRules {
  readonly rename: readonly (readonly [RegExp, string])[];
  /** Names of the checkpoint that this model leaves out, on purpose. Looked at before the renaming. */
  readonly discard: readonly RegExp[];
  /** Names of the model that may stay as they are initialised, such as a new head. Default: none. */
  readonly optional?: readonly RegExp[];
  /** Names of the model's kernels whose second axis is bands, so that an error can say so. */
  readonly bandKernels?: readonly RegExp[];
  /** File, for errors. */
  readonly where?: string;
}

/** A tensor of the checkpoint and the parameter of the model that takes it. */
export interface MatchedWeight {
  readonly checkpointName: string;
  readonly modelName: string;
}

/** Where every tensor of a checkpoint and every parameter of a model went. */
export interface LoadReport {
  /** In the order of the checkpoint. */
  readonly used: readonly MatchedWeight[];
  /** Those of `used` whose name changed. */
  readonly renamed: readonly MatchedWeight[];
  /** Names of the checkpoint that a discard rule left out. */
  readonly unused: readonly string[];
  /** Names of the model that no tensor came for, all of them optional. */
  readonly missing: readonly string[];
}

/** Sizes by name; a model's sizes are given in the axis order of the checkpoint. */
export type ShapesByName = ReadonlyMap<string, readonly number[]>;

const SHOWN = 5;

/**
 * Pairs the tensors of a checkpoint with the parameters of a model, by name. Every tensor must be used or
 * discarded by a rule, every parameter must get one: a load that leaves anything to chance fails.
 * @throws InputError CHECKPOINT_KEYS for names that no rule explains, parameters that nothing came for, two tensors
 *   for one parameter, or no match at all; CHECKPOINT_SHAPE for a tensor of another shape
 */
export function matchWeights(checkpoint: ShapesByName, model: ShapesByName, rules: MatchRules): LoadReport {
  const where = rules.where ?? '';
  const used: MatchedWeight[] = [];
  const unused: string[] = [];
  const unexplained: string[] = [];
  const takers = new Map<string, string>();
  for (const checkpointName of checkpoint.keys()) {
    const modelName = renameWeight(checkpointName, rules.rename);
    if (rules.discard.some((rule) => matches(rule, checkpointName))) unused.push(checkpointName);
    else if (!model.has(modelName)) unexplained.push(checkpointName);
    else {
      const other = takers.get(modelName);
      if (other !== undefined) throw collision(other, checkpointName, modelName, where);
      takers.set(modelName, checkpointName);
      used.push({ checkpointName, modelName });
    }
  }
  const absent = [...model.keys()].filter((name) => !takers.has(name));
  const missing = absent.filter((name) => rules.optional?.some((rule) => matches(rule, name)));
  const required = absent.filter((name) => !missing.includes(name));
  if (used.length === 0) throw nothingMatched(checkpoint, model, where);
  if (unexplained.length > 0 || required.length > 0)
    throw keysError(unexplained, required, rules, model, where);
  refuseOtherShapes(used, checkpoint, model, rules);
  return {
    used,
    renamed: used.filter(({ checkpointName, modelName }) => checkpointName !== modelName),
    unused,
    missing,
  };
}

/** `search` ignores the state that a rule with the flag g carries from call to call. */
const matches = (rule: RegExp, name: string): boolean => name.search(rule) >= 0;

/** The model's name for a name of the checkpoint. */
export function renameWeight(name: string, rules: MatchRules['rename']): string {
  const rule = rules.find(([pattern]) => matches(pattern, name));
  return rule ? name.replace(rule[0], rule[1]) : name;
}

function refuseOtherShapes(
  used: readonly MatchedWeight[],
  checkpoint: ShapesByName,
  model: ShapesByName,
  { where = '', bandKernels = [] }: MatchRules,
): void {
  const lines: string[] = [];
  const bands: string[] = [];
  for (const { checkpointName, modelName } of used) {
    const [got, wanted] = [checkpoint.get(checkpointName)!, model.get(modelName)!];
    const isSame = got.length === wanted.length && got.every((size, axis) => size === wanted[axis]);
    if (isSame) continue;
    lines.push(`${checkpointName} is [${got.join(', ')}], ${modelName} is [${wanted.join(', ')}]`);
    const isOfBands =
      bandKernels.some((rule) => matches(rule, modelName)) &&
      got.length === wanted.length &&
      got.every((size, axis) => axis === 1 || size === wanted[axis]);
    if (isOfBands) bands.push(`the first layer (${checkpointName}) takes ${countOf(got, wanted)}`);
  }
  if (lines.length === 0) return;
  if (bands.length === lines.length) {
    throw new InputError('CHECKPOINT_SHAPE', `The checkpoint is for other bands: ${bands.join('; ')}.`, {
      where,
      hint: 'Choose the encoder that takes its bands, or say which bands the images have: openEncoder(ID, { bands: [...] }).',
    });
  }
  throw new InputError(
    'CHECKPOINT_SHAPE',
    `${lines.length} tensors have another shape than the model: ${some(lines)}.`,
    {
      where,
      hint: 'The checkpoint is of another variant (size, patch size, bands) of this model; choose the one it belongs to.',
    },
  );
}

/** Of a convolution; a linear layer has several numbers a band. */
const countOf = (got: readonly number[], wanted: readonly number[]): string =>
  got.length > 2
    ? `${got[1]} bands, that of the model ${wanted[1]}`
    : `${got[1]} numbers a patch, that of the model ${wanted[1]}`;

function keysError(
  unexplained: readonly string[],
  required: readonly string[],
  rules: MatchRules,
  model: ShapesByName,
  where: string,
): InputError {
  const parts: string[] = [];
  if (unexplained.length > 0)
    parts.push(`${unexplained.length} tensors that no rule explains: ${some(unexplained)}`);
  if (required.length > 0)
    parts.push(`${required.length} parameters that no tensor came for: ${some(required)}`);
  return new InputError('CHECKPOINT_KEYS', `The checkpoint does not fit the model: ${parts.join('; ')}.`, {
    where,
    hint: `${guessOf(unexplained, rules, model)}Correct the rename and discard rules of the encoder, or choose the checkpoint that belongs to it.`,
  });
}

/** What may be behind a tensor that no rule explains: a bias that the model leaves out, or another spelling. */
function guessOf(unexplained: readonly string[], { rename }: MatchRules, model: ShapesByName): string {
  const names = unexplained.map((name) => renameWeight(name, rename));
  const bias = names.find((name) => /\.bias$/.test(name) && model.has(name.replace(/bias$/, 'weight')));
  if (bias !== undefined)
    return `The model has ${bias.replace(/\.bias$/, '')} without a bias: \`bias: true\`? `;
  const guess = names[0] === undefined ? undefined : nearest(names[0], [...model.keys()]);
  return guess ? `Did "${unexplained[0]}" mean "${guess}"? ` : '';
}

const nothingMatched = (checkpoint: ShapesByName, model: ShapesByName, where: string): InputError =>
  new InputError(
    'CHECKPOINT_KEYS',
    `None of the ${checkpoint.size} tensors of the checkpoint fits a parameter of the model. It has ${some([...checkpoint.keys()])}; the model has ${some([...model.keys()])}.`,
    {
      where,
      hint: 'The checkpoint is of another model, or its names have a prefix that the rename rules do not take away.',
    },
  );

const collision = (first: string, second: string, modelName: string, where: string): InputError =>
  new InputError('CHECKPOINT_KEYS', `"${first}" and "${second}" both become "${modelName}".`, {
    where,
    hint: 'Discard one of them, or make the rename rules tell them apart.',
  });

function some(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
