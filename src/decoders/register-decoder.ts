import { UsageError } from '../errors.js';
import { sha256 } from '../manifests/sha256.js';
import { registerOwn } from '../registry.js';
import type { DecoderFamily } from './decoder.js';
import type { OwnDecoder } from './own-decoder.js';
import { decoderAliases, decoders, detectorIds, getDecoder } from './registry.js';

/**
 * Makes a decoder's id go wherever an id goes, in this process; the same id again replaces it.
 * @param digest of the code that makes it, which runs record; default of the texts of its functions and of its values,
 * without what they call elsewhere
 * @throws UsageError ID_TAKEN where the id is one of Gondwana's (a detector's too), or another name of one
 */
export function registerDecoder(definition: DecoderFamily, digest = digestOf(definition)): void {
  const shipped = [...Object.keys(decoders), ...Object.keys(decoderAliases), ...detectorIds];
  registerOwn('decoder', definition.id, { thing: definition, digest }, shipped);
}

/**
 * A decoder by its id or another name of it, or a definition, which need not be registered.
 * @throws UsageError DECODER_UNKNOWN, DECODER_INVALID for an object that `defineDecoder` did not make
 */
export async function resolveDecoder(decoder: string | OwnDecoder): Promise<DecoderFamily> {
  if (typeof decoder === 'string') return getDecoder(decoder);
  if (typeof (decoder as Partial<DecoderFamily>).build === 'function') return decoder as DecoderFamily;
  throw new UsageError('DECODER_INVALID', `The decoder "${decoder.id}" has no build function.`, {
    hint: 'Give what defineDecoder of gondwana/decoders makes, or an id.',
  });
}

const digestOf = (definition: DecoderFamily): string =>
  sha256(
    JSON.stringify(definition, (_, value: unknown) => (typeof value === 'function' ? String(value) : value)),
  );
