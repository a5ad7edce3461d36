import { describe, expect, it } from 'vitest';
import { defineStudy } from '../../src/studies/define-study.js';
import { loadStudy } from '../../src/studies/load-study.js';
import { planStudy } from '../../src/studies/plan-study.js';
import type { StudyDefinition } from '../../src/studies/study.js';

const base: StudyDefinition = {
  name: 'try',
  title: 'Does it?',
  protocol: 'neon-crowns',
  datasets: ['neon-crowns'],
  encoders: ['efficientnet-lite0'],
  decoders: ['unet'],
  vary: { encoderMode: ['frozen', 'fine-tuned'] },
  seeds: [0, 1],
};

const LOADING = { timeout: 60_000 };

describe('the plan of the quickstart study', () => {
  // the first to load what plans need, beside whatever else runs
  it('has four arms, one from scratch, three seeds each, and two trivial predictors', LOADING, async () => {
    const { runs } = await (await loadStudy('quickstart')).plan();
    const arms = new Map<string, number>();
    for (const { arm } of runs) arms.set(arm, (arms.get(arm) ?? 0) + 1);
    expect([...arms]).toEqual([
      ['frozen, z-score', 3],
      ['frozen, not normalised', 3],
      ['fine-tuned, z-score', 3],
      ['fine-tuned, not normalised', 3],
      ['from scratch, z-score', 3],
      ['all background', 1],
      ['all crown', 1],
    ]);
  });

  it('is another study when quick: one seed, three epochs, other ids', async () => {
    const study = await loadStudy('quickstart');
    const [full, quick] = [await study.plan(), await study.plan({ quick: true })];
    expect(quick.study.name).toBe('quickstart-quick');
    expect(quick.runs).toHaveLength(7);
    expect(quick.runs[0]!.definition.settings.epochs).toBe(3);
    const ids = new Set(full.runs.map(({ id }) => id));
    const trained = quick.runs.filter(({ definition }) => definition.encoder !== 'none');
    expect(trained.some(({ id }) => ids.has(id))).toBe(false);
  });
});

describe('a plan', () => {
  it('gives the same ids for the same definition, and others when anything changes', async () => {
    const ids = async (change: Partial<StudyDefinition>) =>
      (await planStudy({ ...base, ...change })).runs.map(({ id }) => id);
    const first = await ids({});
    expect(await ids({ title: 'Another question' })).toEqual(first);
    for (const change of [{ settings: { epochs: 2 } }, { seeds: [5, 6] }]) {
      const other = await ids(change);
      expect(other.filter((id, index) => id === first[index] && index < 4)).toEqual([]);
    }
  });

  it('states every setting of a run, the protocol and what the arm changes', async () => {
    const { runs } = await planStudy({ ...base, settings: { weightDecay: 0 } });
    expect(runs[0]!.definition.settings).toMatchObject({
      encoderMode: 'frozen',
      encoderWeights: 'pretrained',
      normalization: 'z-score',
      batchSize: 8,
      weightDecay: 0,
    });
  });

  it('leaves a setting out of the names of arms that has one value over all of them', async () => {
    const { runs } = await planStudy({
      ...base,
      vary: { encoderMode: ['frozen'], normalization: ['z-score', 'none'], epochs: [2] },
      seeds: [0],
    });
    expect(runs.slice(0, 2).map(({ arm }) => arm)).toEqual(['z-score', 'not normalised']);
  });

  it('names weights by their hash, and none where the encoder starts at random', async () => {
    const { runs } = await planStudy({
      ...base,
      vary: { encoderWeights: ['pretrained', 'random'] },
      seeds: [0],
    });
    expect(runs.map(({ definition }) => definition.weights?.slice(0, 8) ?? null)).toEqual([
      '57934424',
      null,
      null,
      null,
    ]);
  });

  it.each([
    [{ vary: { encoderMode: ['frosen'] } }, 'SETTING_INVALID'],
    [{ vary: { normalisation: ['none'] } }, 'SETTING_UNKNOWN'],
    [{ settings: { epochs: -1 } }, 'SETTING_INVALID'],
    [{ datasets: ['neon'] }, 'DATASET_UNKNOWN'],
    [{ encoders: ['resnet'] }, 'MANIFEST_UNKNOWN'],
    [{ protocol: 'mine' }, 'MANIFEST_UNKNOWN'],
    [{ also: [{ encoderMode: 'frozen' }] }, 'STUDY_INVALID'],
    [{ seeds: [0, 0] }, 'STUDY_INVALID'],
    [{ datasets: ['gb2-everwatch'] }, 'DECODER_MISFIT'],
    [{ decoders: ['faster-rcnn'] }, 'DECODER_MISFIT'],
    [{ datasets: ['gb2-substation'], decoders: ['faster-rcnn'] }, 'DECODER_MISFIT'],
    [{ weights: { 'efficientnet-lite0': 'nowhere.pth' } }, 'WEIGHTS_MISSING'],
    [{ weights: { 'efficientnet-lit0': 'package.json' } }, 'MANIFEST_UNKNOWN'],
    [{ encoders: ['resnet50-timm'], weights: { resnet50: 'package.json' } }, 'STUDY_INVALID'],
    [{ data: { 'neon-crown': '.' } }, 'DATASET_UNKNOWN'],
    [{ faults: { 'no-such-fault': true } }, 'FAULT_UNKNOWN'],
    [{ settings: { loss: 'cross-entrpy' } }, 'LOSS_UNKNOWN'],
    [{ settings: { loss: 'mse' } }, 'LOSS_OPTION'],
    [{ settings: { loss: 'dice', classWeights: 'inverse-share' } }, 'LOSS_OPTION'],
    [{ settings: { selectBy: 'RMSE' } }, 'SETTING_INVALID'],
    [{ quick: { settings: { epoch: 2 } } }, 'SETTING_UNKNOWN'],
    [{ quick: { settings: { epochs: 0 } } }, 'SETTING_INVALID'],
  ])('refuses %o: %s', async (change, code) => {
    await expect(planStudy({ ...base, ...change } as StudyDefinition)).rejects.toMatchObject({ code });
  });

  it.each([
    [{ vary: { momentum: [0, 0.9] } }, 'momentum has no effect with the optimizer "adamw"'],
    [{ vary: { gamma: [0.1, 0.5] }, settings: { schedule: 'cosine' } }, 'with the schedule "cosine"'],
    [
      { vary: { encoderLearningRate: [1e-3, 1e-4] } },
      'encoderLearningRate has no effect on a frozen encoder',
    ],
    [{ vary: { newBands: ['random', 'mean-of-rgb'] } }, 'newBands has no effect with bands "match"'],
    [{ vary: { flips: ['horizontal', 'both'] }, settings: { flipProbability: 0 } }, 'flipProbability 0'],
    [{ vary: { change: ['concat', 'difference'] } }, 'change has no effect but on change detection'],
    [{ vary: { smallestGain: [0, 1e-3] } }, 'smallestGain has no effect without patience'],
    [{ vary: { windowStride: [null, 32] }, settings: { wholeImages: false } }, 'windowStride has no effect'],
    [
      { encoders: ['resnet18-random'], vary: { encoderWeights: ['pretrained', 'random'] } },
      'encoderWeights has no effect on an encoder without a checkpoint',
    ],
  ])('refuses arms that are one run: %o', async (change, reason) => {
    await expect(planStudy({ ...base, ...change } as StudyDefinition)).rejects.toMatchObject({
      code: 'ARMS_EQUAL',
      message: expect.stringContaining(reason),
    });
  });

  it.each([
    { vary: { momentum: [0, 0.9] }, settings: { optimizer: 'sgd' } },
    { vary: { optimizer: ['sgd', 'adamw'] }, also: [{ optimizer: 'sgd', momentum: 0 }] },
    { vary: { encoderLearningRate: [null, 1e-4] }, settings: { encoderMode: 'fine-tuned' } },
    { vary: { encoderWeights: ['pretrained', 'random'] } },
    { vary: { smallestGain: [0, 1e-3] }, settings: { patience: 3 } },
  ])('takes arms that differ in what has an effect: %o', async (change) => {
    const plan = planStudy({ ...base, ...change } as StudyDefinition);
    await expect(plan).resolves.toBeDefined();
  });

  it('suggests the setting that was meant', async () => {
    await expect(planStudy({ ...base, vary: { normalisation: ['none'] } })).rejects.toMatchObject({
      hint: expect.stringContaining('"normalization"'),
    });
  });
});

describe('settings of a run', () => {
  it('are the protocol’s, then those for its dataset, then what the reference does, then the study’s', async () => {
    const settings = async (change: Partial<StudyDefinition>) =>
      (await planStudy({ ...base, protocol: 'pangaea', ...change })).runs[0]!.definition.settings;
    expect(await settings({})).toMatchObject({ crop: 'random', epochs: 80, frozenInTrainingMode: false });
    expect(await settings({ datasets: ['mados'] })).toMatchObject({ crop: 'focus', epochs: 80 });
    expect(await settings({ mode: 'as-published' })).toMatchObject({ frozenInTrainingMode: true });
    expect(await settings({ datasets: ['mados'], settings: { crop: 'grid' } })).toMatchObject({
      crop: 'grid',
    });
  });
});

describe('settings that came later', () => {
  it('are part of a run where they have another value than their default, so that ids stay', async () => {
    const ids = async (settings: StudyDefinition['settings']) =>
      (await planStudy({ ...base, settings: settings ?? {} })).runs.map(({ id }) => id);
    const first = await ids({});
    expect(await ids({ precision: 'float32', checkpointBlocks: false, validationsPerEpoch: 1 })).toEqual(
      first,
    );
    expect((await ids({ precision: 'bfloat16' }))[0]).not.toBe(first[0]);
    // as the quickstart study had it before any of them
    expect((await (await loadStudy('quickstart')).plan()).runs[0]!.definition.settings).not.toHaveProperty(
      'precision',
    );
  });
});

describe('options of a decoder', () => {
  const gb2 = { ...base, protocol: 'geobench2', decoders: ['unet-smp'], vary: {}, seeds: [0] };
  const settings = async (change: Partial<StudyDefinition>) =>
    (await planStudy({ ...gb2, ...change })).runs[0]!.definition.settings;
  const arms = async (change: Partial<StudyDefinition>) =>
    (await planStudy({ ...gb2, ...change })).runs
      .filter(({ definition }) => definition.encoder !== 'none')
      .map(({ arm, definition }) => [arm, definition.settings.decoderOptions]);

  it('are the paper’s, then those of the decoder, then those of all, and say nothing where they are defaults', async () => {
    expect(await settings({})).toMatchObject({
      decoderOptions: { layout: 'terratorch' },
      neck: 'learned-pyramid-neck',
    });
    const own = { id: 'unet-smp', options: { layout: 'smp', centerBlock: true }, neck: 'none' };
    expect(await settings({ decoders: [own] })).toMatchObject({
      decoderOptions: { centerBlock: true },
      neck: 'none',
    });
    const all = { decoderOptions: { centerBlock: false } };
    expect(await settings({ decoders: [own], settings: all })).not.toHaveProperty('decoderOptions');
    expect(await settings({ protocol: 'neon-crowns', decoders: ['unet'] })).not.toHaveProperty('neck');
  });

  it('vary between arms, over what all arms have', async () => {
    const found = await arms({
      settings: { decoderOptions: { centerBlock: true } },
      vary: { decoderOptions: [{}, { layout: 'smp', channels: [64, 32, 16, 8] }] },
    });
    expect(found).toEqual([
      ['layout terratorch, centerBlock true', { layout: 'terratorch', centerBlock: true }],
      ['centerBlock true, channels 64 + 32 + 16 + 8', { centerBlock: true, channels: [64, 32, 16, 8] }],
    ]);
  });

  it('tell two decoders of one id apart', async () => {
    const found = await arms({
      decoders: [{ id: 'upernet', options: { channels: 64 } }, 'upernet'],
    });
    expect(found.map(([arm]) => arm)).toEqual(['upernet (channels 64)', 'upernet']);
  });

  it.each([
    [{ decoders: [{ id: 'unet-smp', options: { widths: [64] } }] }, 'HYPERPARAMETERS_INVALID'],
    [{ settings: { decoderOptions: { layout: 'mine' } } }, 'HYPERPARAMETERS_INVALID'],
    [{ decoders: ['unet'], settings: { decoderOptions: { layout: 'smp' } } }, 'HYPERPARAMETERS_INVALID'],
    [{ settings: { decoderOptions: 'smp' } }, 'SETTING_INVALID'],
    [{ settings: { epochs: { of: 3 } } }, 'SETTING_INVALID'],
    [{ decoders: [{ id: 'unet-smp', hidden: [3] }] }, 'STUDY_INVALID'],
    [{ settings: { neck: 'giraffe' } }, 'NECK_UNKNOWN'],
    [{ decoders: [{ id: 'unet-smp', neck: 'giraffe' }] }, 'NECK_UNKNOWN'],
  ])('are refused before anything is run: %o, %s', async (change, code) => {
    await expect(planStudy({ ...gb2, ...change } as StudyDefinition)).rejects.toMatchObject({ code });
  });
});

describe('images with one answer', () => {
  it('are evaluated whole, whatever the protocol says', async () => {
    const { runs } = await planStudy({ ...base, protocol: 'pangaea', datasets: ['m-eurosat'] });
    for (const { definition } of runs) expect(definition.settings).toMatchObject({ evaluation: 'whole' });
  });
});

describe('trivial predictors', () => {
  it.each([
    ['neon-crowns', ['all background', 'all crown']],
    ['mados', ['majority class', expect.stringMatching(/^all /) as string]],
    ['m-eurosat', ['majority class']],
    ['m-bigearthnet', ['labels of the majority']],
    ['biomassters', ['mean everywhere']],
  ])('of %s', async (dataset, names) => {
    const { runs } = await planStudy({ ...base, protocol: 'pangaea', datasets: [dataset] });
    const trivial = runs.filter(({ definition }) => definition.encoder === 'none');
    expect(trivial.map(({ arm }) => arm)).toEqual(names);
  });
});

describe('defining a study', () => {
  it.each([
    [{ name: 'Not A Name' }, /^name/],
    [{ seeds: [] }, /^seeds/],
    [{ datasets: [] }, /^datasets/],
    [{ sedes: [1] }, /sedes/],
  ])('refuses %o', (change, message) => {
    expect(() => defineStudy({ ...base, ...change } as StudyDefinition)).toThrowError(message);
  });

  it('tells all that is wrong at once, and names the mandatory members', () => {
    const wrong = { name: 'try', protocol: 'neon-crowns', datasets: ['a'], encoders: 'b', sedes: [1] };
    expect(() => defineStudy(wrong as unknown as StudyDefinition)).toThrowError(
      expect.objectContaining({
        code: 'STUDY_INVALID',
        message: expect.stringMatching(
          /^title is missing; encoders: .*; decoders is missing; seeds is missing; sedes is no member of a study \(did you mean seeds\?\)\.$/,
        ),
        hint: expect.stringContaining('name, title, datasets, encoders, decoders, protocol, seeds'),
      }),
    );
    for (const none of [undefined, null, [], 'x'])
      expect(() => defineStudy(none as unknown as StudyDefinition)).toThrowError(/not an object/);
  });

  it('takes a study that is defined already', () => {
    expect(defineStudy(defineStudy(base)).name).toBe('try');
  });
});

describe('a study that asks for too much', () => {
  it('is refused before its runs are listed', async () => {
    const many = Array.from({ length: 1000 }, (_, i) => i + 1);
    const vary = { epochs: many, batchSize: many };
    await expect(planStudy({ ...base, vary })).rejects.toMatchObject({
      code: 'STUDY_INVALID',
      message: expect.stringContaining('2,000,000 runs') as string,
    });
  });

  it.each([{ inputSize: 1 }, { windowStride: 1 }, { inputSize: 100_000 }, { batchSize: 1e9 }])(
    'is refused: %o',
    async (settings) => {
      await expect(planStudy({ ...base, settings })).rejects.toMatchObject({ code: 'SETTING_INVALID' });
    },
  );

  it('is refused for a decoder that is not there', async () => {
    await expect(planStudy({ ...base, decoders: ['nope'] })).rejects.toMatchObject({
      code: 'DECODER_UNKNOWN',
    });
  });
});
