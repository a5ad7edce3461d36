import { InputError } from '../errors.js';
import type {
  BandManifest,
  DatasetManifest,
  FaultManifest,
  LabelRules,
  ModalityManifest,
  PairLayout,
  SplitManifest,
  StatisticsManifest,
  Task,
} from './dataset-manifest.js';
import { readDatasetSchema } from './dataset-schema.js';
import { sha256 } from './sha256.js';

/** What the author of a dataset says of it; what is left out has a default. */
export interface OwnManifest {
  readonly title?: string;
  readonly task: Task;
  /** By name; a band is its id, or more of it. Default of a wavelength: not known. */
  readonly modalities: Readonly<
    Record<
      string,
      Partial<Omit<ModalityManifest, 'bands' | 'statistics'>> & {
        /** As `datasetStatistics` gives them under `manifest`, or of another source. */
        readonly statistics?: readonly (Partial<StatisticsManifest> & { readonly source: string })[];
        readonly bands: readonly (string | (Partial<BandManifest> & { readonly id: string }))[];
      }
    >
  >;
  /** By index: names, or names with their share. */
  readonly classes: readonly (string | { readonly name: string; readonly share?: number })[];
  /** Default: stored values are class indices, every pixel counts. */
  readonly labels?: Partial<LabelRules>;
  /** Names, or what is known of each. Default: train, val, test. */
  readonly splits?: readonly string[] | Readonly<Record<string, Partial<SplitManifest>>>;
  readonly citation?: string;
  readonly homepage?: string;
  readonly licence?: string;
  readonly imageSize?: readonly [height: number, width: number] | null;
  readonly gsdM?: number | null;
  /** Of images and label maps in folders: such a dataset needs no code. */
  readonly pairs?: PairLayout;
  readonly parameters?: DatasetManifest['parameters'];
  readonly faults?: readonly (Omit<FaultManifest, 'isSwitchable'> & { readonly isSwitchable?: boolean })[];
  readonly notes?: readonly string[];
}

const NOT_SAID = 'not said';

/**
 * The whole manifest of a dataset of one's own, checked like those that are shipped.
 * @throws InputError MANIFEST_INVALID with the member's path
 */
export function ownManifest(id: string, own: OwnManifest): DatasetManifest {
  const { modalities, classes, labels, splits = ['train', 'val', 'test'], pairs, ...rest } = own;
  const whole = {
    title: id,
    citation: NOT_SAID,
    homepage: NOT_SAID,
    licence: NOT_SAID,
    imageSize: null,
    gsdM: null,
    ...rest,
    id,
    card: { predicted: NOT_SAID, from: NOT_SAID, counted: NOT_SAID },
    modalities: mapValues(modalities, ({ bands, ...modality }) => ({
      sensor: NOT_SAID,
      unit: NOT_SAID,
      ...modality,
      bands: bands.map((band) => ({
        wavelengthNm: null,
        gsdM: null,
        ...(typeof band === 'string' ? { id: band } : band),
      })),
    })),
    classes: classes.map((entry) => (typeof entry === 'string' ? { name: entry } : entry)),
    labels: { ignoreIndex: null, ...labels },
    splits: mapValues(
      isList(splits) ? Object.fromEntries(splits.map((split) => [split, {}])) : splits,
      (split) => ({
        count: null,
        rule: NOT_SAID,
        ...split,
      }),
    ),
    layout: { summary: NOT_SAID, ...(pairs && { pairs }) },
    release: { access: NOT_SAID, files: [] },
  };
  const result = readDatasetSchema().safeParse(whole);
  if (result.success) return { ...result.data, hash: sha256(JSON.stringify(whole)) };
  const issue = result.error.issues[0]!;
  throw new InputError('MANIFEST_INVALID', `${issue.path.join('.') || 'The manifest'}: ${issue.message}`, {
    where: `dataset "${id}"`,
    hint: 'Correct what defineDataset is given; docs/guide/manifests.md lists the members.',
  });
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value);

const mapValues = <T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
