import { InputError } from '../errors.js';
import { ownEncoderManifest } from '../manifests/own-encoder-manifest.js';
import type {
  BandLayer,
  BuildContext,
  EncoderDefinition,
  EncoderFamily,
  EncoderParts,
  EncoderVariant,
  VariantParts,
} from './encoder.js';

/**
 * A family of encoders in code, which goes wherever a family's id goes; with a `manifest`, an encoder of one's own. A
 * manifest alone is one of Gondwana's families with other numbers and weights.
 * @param id in lower case, e.g. `vit`
 * @throws InputError ENCODER_INVALID for a manifest that does not fit
 */
export function defineEncoder<H>(id: string, parts: EncoderParts<H>): EncoderFamily;
export function defineEncoder(id: string, parts: VariantParts): EncoderVariant;
export function defineEncoder<H>(id: string, parts: EncoderParts<H> | VariantParts): EncoderDefinition {
  const manifest = parts.manifest && ownEncoderManifest(id, parts.manifest);
  return parts.build ? familyOf(id, parts, manifest) : { id, manifest: manifest! };
}

function familyOf<H>(id: string, parts: EncoderParts<H>, manifest: EncoderFamily['manifest']): EncoderFamily {
  const check = (given: Readonly<Record<string, unknown>>): H => {
    try {
      return parts.hyperparameters.parse(given);
    } catch (cause) {
      throw new InputError(
        'HYPERPARAMETERS_INVALID',
        `The hyperparameters do not fit the encoder family ${id}: ${reasonOf(cause)}`,
        { where: id, hint: 'Compare with a manifest of this family in data-manifests/encoders.', cause },
      );
    }
  };
  const { bandLayers } = parts;
  return {
    id,
    ...(manifest && { manifest }),
    faults: parts.faults ?? {},
    isFrozenOnly: parts.isFrozenOnly ?? false,
    build: (scope, given, context) => parts.build(scope, check(given), context),
    weights: (given, context = CORRECTED) => ({
      ...{ rename: [], discard: [] },
      ...(typeof parts.weights === 'function' ? parts.weights(check(given), context) : parts.weights),
    }),
    ...(bandLayers && {
      bandLayers: (given: Readonly<Record<string, unknown>>) =>
        typeof bandLayers === 'function' ? bandLayers(check(given)) : [countedBy(bandLayers)],
    }),
  };
}

const countedBy = (kernel: RegExp): BandLayer => ({ kernel, withBands: (bandCount) => ({ bandCount }) });

/** `path: message` of every issue of a schema, or the message of another error. */
function reasonOf(cause: unknown): string {
  const { issues } = cause as { issues?: readonly Issue[] };
  if (!issues) return cause instanceof Error ? cause.message : String(cause);
  return issues.map(({ path, message }) => `${path.map(String).join('.') || 'all'}: ${message}`).join('; ');
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** No fault of a reference is on. */
export const CORRECTED: BuildContext = { isFaultOn: () => false };

/** Every fault of the reference is on. */
export const AS_PUBLISHED: BuildContext = { isFaultOn: () => true };
