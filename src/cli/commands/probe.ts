import { textOption, type Command, type Options } from '../command.js';
import { countOf, wrongValue } from '../dataset-options.js';
import { facts } from '../facts.js';

/**
 * `gondwana probe TRAIN TEST`: nearest neighbours and a linear classifier on two files of `gondwana embed`.
 * @throws UsageError OPTION_VALUE; InputError PROBE_DATA, EMBEDDINGS_INVALID, FORMAT_UNKNOWN
 */
export const probe: Command = async (_context, [train, test], options) => {
  const [{ readEmbeddings }, { probeEmbeddings }] = await Promise.all([
    import('../../evaluation/embeddings-file.js'),
    import('../../evaluation/probes/probe-embeddings.js'),
  ]);
  const chosen = {
    k: countOf('--k', textOption(options, 'k') ?? '200'),
    temperature: positive(options, 'temperature'),
    l2: positive(options, 'l2'),
  };
  const result = probeEmbeddings(await readEmbeddings(train!), await readEmbeddings(test!), chosen);
  const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
  const text = facts({
    'training samples': result.trainCount,
    'test samples': result.testCount,
    classes: result.classCount,
    [`nearest neighbours, ${result.metric}`]: percent(result.knn),
    [`linear classifier, ${result.metric}`]: percent(result.linear),
    'most frequent class': percent(result.majority),
    note: result.hasConverged ? undefined : 'the linear classifier has not converged',
  });
  return { document: { ...chosen, ...result }, text };
};

function positive(options: Options, name: 'temperature' | 'l2'): number {
  const text = textOption(options, name) ?? '';
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw wrongValue(`--${name}`, text, 'a number above 0');
}
