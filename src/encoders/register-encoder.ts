import { UsageError } from '../errors.js';
import { readEncoderManifest, type EncoderManifest } from '../manifests/encoder-manifest.js';
import { manifestNames, registerManifest } from '../manifests/read-manifest.js';
import { sha256 } from '../manifests/sha256.js';
import { registerOwn } from '../registry.js';
import type { EncoderDefinition, EncoderFamily } from './encoder.js';
import type { OwnEncoder } from './own-encoder.js';
import { encoderFamilies, getEncoderFamily } from './registry.js';

const own = new Set<string>();

/**
 * Makes an encoder's id go wherever an id goes, in this process; the same id again replaces it.
 * @param digest of the code that makes it, which runs record; default of what it consists of
 * @throws UsageError ID_TAKEN where the id is one of Gondwana's
 */
export function registerEncoder(definition: EncoderDefinition, digest = digestOf(definition)): void {
  const { id, manifest } = definition;
  const isTaken = manifestNames('encoders').some((row) => row.id === id || row.aliases.includes(id));
  if (manifest && isTaken && !own.has(id)) {
    throw new UsageError('ID_TAKEN', `There is an encoder "${id}" already.`, {
      hint: `Give yours an id of its own, e.g. "my-${id}".`,
    });
  }
  if (isFamily(definition)) {
    registerOwn('encoder family', id, { thing: definition, digest }, Object.keys(encoderFamilies));
  }
  if (!manifest) return;
  registerManifest('encoders', id, manifest);
  own.add(id);
}

/** The manifest and the family of an encoder by its id, or of a definition, which need not be registered. */
export async function resolveEncoder(
  encoder: string | OwnEncoder,
): Promise<{ readonly manifest: EncoderManifest; readonly family: EncoderFamily }> {
  const manifest = encoderManifestOf(encoder);
  const isOwn = typeof encoder === 'object' && isFamily(encoder) && encoder.id === manifest.family;
  const family = isOwn ? encoder : await getEncoderFamily(manifest.family);
  return { manifest: family.isFrozenOnly ? withFile(manifest) : manifest, family };
}

/** A model that is its own checkpoint is built from that. */
const withFile = (manifest: EncoderManifest): EncoderManifest =>
  manifest.weights
    ? {
        ...manifest,
        hyperparameters: {
          ...manifest.hyperparameters,
          file: manifest.weights.file,
          ...(manifest.imageSize && { imageSize: manifest.imageSize }),
        },
      }
    : manifest;

/** @throws UsageError ENCODER_MANIFEST for a definition without one; InputError MANIFEST_UNKNOWN */
export function encoderManifestOf(encoder: string | OwnEncoder): EncoderManifest {
  if (typeof encoder === 'string') return readEncoderManifest(encoder);
  if (encoder.manifest) return encoder.manifest;
  throw new UsageError('ENCODER_MANIFEST', `The encoder "${encoder.id}" brings no manifest.`, {
    hint: 'Give defineEncoder a `manifest`: at least { modalities: { optical: ["red", "green", "blue"] } }.',
  });
}

const isFamily = (definition: OwnEncoder): definition is EncoderFamily => 'build' in definition;

/** Of the texts of its functions and of its values: what they call elsewhere is not seen. */
const digestOf = (definition: EncoderDefinition): string =>
  sha256(
    JSON.stringify(definition, (_, value: unknown) =>
      typeof value === 'function' || value instanceof RegExp ? String(value) : value,
    ),
  );
