import { textOption, type Command, type Options } from '../command.js';
import { countOf, wrongValue } from '../dataset-options.js';
import { facts } from '../facts.js';

/**
 * `gondwana probe TRAIN TEST`: nearest neighbours and a linear model on two files of `gondwana embed`.
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
    ridge: positive(options, 'ridge'),
  };
  const result = probeEmbeddings(await readEmbeddings(train!), await readEmbeddings(test!), chosen);
  const { metric } = result;
  const isValue = metric === 'RMSE';
  const show = (value: number): string => (isValue ? value.toPrecision(4) : `${(100 * value).toFixed(1)} %`);
  const text = facts({
    'training samples': result.trainCount,
    'test samples': result.testCount,
    classes: isValue ? undefined : result.classCount,
    [`nearest neighbours, ${metric}`]: show(result.knn),
    [`${isValue ? 'ridge regression' : 'linear classifier'}, ${metric}`]: show(result.linear),
    [isValue ? 'mean of the training samples' : 'most frequent class']: show(result.trivial),
    note: result.hasConverged ? undefined : 'the linear classifier has not converged',
  });
  return { document: { ...chosen, ...result }, text };
};

function positive(options: Options, name: 'temperature' | 'l2' | 'ridge'): number {
  const text = textOption(options, name) ?? '';
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw wrongValue(`--${name}`, text, 'a number above 0');
}
