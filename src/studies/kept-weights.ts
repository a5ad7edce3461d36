import { decodeArrays, encodeArrays, type NamedArray } from '../io/array-file.js';
import type { ResultStore } from '../results/store.js';
import type { EncodingModel } from '../training/task-model.js';
import type { Session } from './session.js';

type Parameters = Pick<EncodingModel, 'parameters'>;

/**
 * Writes the weights of a trained model beside its record, where the study keeps them; of a frozen encoder only what
 * stands behind it, since the encoder has its checkpoint.
 * @returns path inside the store, named by the content's sha256; undefined: nothing is kept
 */
export async function keepWeights(
  { parameters }: Parameters,
  isFrozen: boolean,
  { options }: Pick<Session, 'options'>,
): Promise<string | undefined> {
  if (!options.store || options.study.keepWeights !== true) return undefined;
  const arrays = new Map<string, NamedArray>();
  for (const { name, variable } of isFrozen ? parameters.under('decoder') : parameters.all)
    arrays.set(name, { data: (await variable.data()) as Float32Array, shape: variable.shape });
  return options.store.putArtifact(encodeArrays({ arrays, metadata: { form: FORM } }), 'safetensors');
}

const FORM = 'gondwana-model/1';

/** Gives a model the weights of a record. @throws what readArtifact throws; InputError PARAMETER_UNKNOWN, SHAPE_MISMATCH */
export function restoreWeights(
  { parameters }: Parameters,
  artifact: string,
  store: Pick<ResultStore, 'folder' | 'readArtifact'>,
): void {
  const bytes = Buffer.from(store.readArtifact(artifact));
  parameters.assign(decodeArrays(bytes, artifact).arrays);
}
