import path from 'node:path';
import { groupBy } from '../../collections.js';
import { UsageError } from '../../errors.js';
import { makeFolder } from '../../io/make-folder.js';
import { requireReplaceable } from '../../io/regular-file.js';
import { textOption, type Command, type Options } from '../command.js';
import { countOf, wrongValue } from '../dataset-options.js';
import { facts } from '../facts.js';
import { withProgress } from '../fetch-with-progress.js';
import { openPlannedStore } from '../store-argument.js';

/**
 * `gondwana detect STORE --run ID --input FILE.tif --out FILE.geojson`: what a run's detector finds on a raster, as polygons
 * in the raster's coordinate system.
 * @throws UsageError OPTION_MISSING, OPTION_VALUE; what openPlannedStore and detectRaster throw; before anything is computed
 *   InputError NOT_A_FILE, NOT_A_FOLDER, NO_PERMISSION where the file cannot be written
 */
export const detect: Command = async (context, [folder], options) => {
  const [run, input, out] = [required(options, 'run'), required(options, 'input'), required(options, 'out')];
  if (!/\.(geo)?json$/i.test(out)) throw wrongValue('--out', out, 'a file whose name ends in .geojson');
  const minScore = scoreOf(textOption(options, 'minScore'));
  const windowText = textOption(options, 'window');
  const window = windowText === undefined ? undefined : countOf('--window', windowText);
  const overlap = overlapOf(textOption(options, 'overlap'));
  const bands = textOption(options, 'bands')
    ?.split(',')
    .map((name) => name.trim());
  const { store } = await openPlannedStore(folder!);
  // what was found in hours is not lost to a name that cannot be written
  await requireReplaceable(path.resolve(out));
  await makeFolder(path.dirname(path.resolve(out)));
  const { detectRaster } = await import('../../studies/detect-raster.js');
  const found = await withProgress(context, `detecting on ${path.basename(input)}`, (onProgress) =>
    detectRaster({
      ...{ store: store.folder, run: run, file: path.resolve(input), signal: context.signal, onProgress },
      ...(minScore !== undefined && { minScore }),
      ...(window !== undefined && { window }),
      ...(overlap !== undefined && { overlap }),
      ...(bands && { bands }),
      onNotice: (text) => context.notices.say(text),
    }),
  );
  await found.writeGeoJson(path.resolve(out));
  const counts = [...groupBy(found.detections, ({ label }) => label)].map(
    ([label, own]) => [found.classes[label] ?? String(label), own.length] as const,
  );
  const document = {
    run: found.run,
    input,
    out,
    detections: found.detections.length,
    classes: Object.fromEntries(counts),
    minScore: found.minScore,
    window: found.window,
    overlap: found.overlap,
  };
  return {
    document,
    text: facts({
      ...document,
      classes: counts.map(([name, count]) => `${name} ${count}`).join(', ') || undefined,
    }),
  };
};

function required(options: Options, name: 'run' | 'input' | 'out'): string {
  const value = textOption(options, name);
  if (value !== undefined && value.trim() !== '') return value;
  throw new UsageError('OPTION_MISSING', `--${name} is missing.`, {
    hint: 'gondwana detect STORE --run ID --input FILE.tif --out FILE.geojson; `gondwana status STORE` lists the runs.',
  });
}

function scoreOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw wrongValue('--min-score', text, 'a number from 0 to 1');
}

function overlapOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  return text === '0' ? 0 : countOf('--overlap', text);
}
