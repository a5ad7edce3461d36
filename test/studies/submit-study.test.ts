import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { JUPYTER_DISPLAY } from '../../src/display/showable.js';
import { defineStudy } from '../../src/studies/define-study.js';
import type { SubmitOptions } from '../../src/studies/submit-study.js';
import '../../src/studies/plan-study.js'; // loaded before the clock of a test runs
import '../../src/studies/study-status.js';
import '../../src/studies/submit-study.js';
import { fakePrograms } from '../support/fake-program.js';
import { tempFolder } from '../support/temp-folder.js';

afterEach(() => vi.unstubAllEnvs());

/** Four seeds and two trivial predictors; arrays hold four tasks. */
const study = defineStudy({
  ...{ name: 'tiny', title: 'Is it sent?', datasets: ['neon-crowns'], encoders: ['efficientnet-lite0'] },
  ...{
    decoders: ['unet'],
    protocol: 'neon-crowns',
    settings: { encoderMode: 'frozen' },
    seeds: [0, 1, 2, 3],
  },
});

const CONTROL = `case "$2" in
config) echo 'MaxArraySize            = 4';;
partition) echo 'PartitionName=gpu Default=NO MaxTime=1-00:00:00 State=UP'; echo 'PartitionName=cpu Default=YES MaxTime=02:00:00 State=UP';;
esac`;

function fakeSlurm(programs: Readonly<Record<string, string>> = {}): void {
  fakePrograms({
    scontrol: CONTROL,
    squeue: '',
    scancel: '',
    sbatch: 'cat > /dev/null; echo 11',
    ...programs,
  });
}

const ask: SubmitOptions = { on: 'slurm', time: '10', pack: 1 };
const shown = (value: object): string =>
  (value as Record<symbol, () => Record<string, string>>)[JUPYTER_DISPLAY]!()['text/plain'] ?? '';

describe('handing a study to a cluster', () => {
  it('from a notebook returns at once with what was sent, and its state shows as a table', async () => {
    fakeSlurm();
    const store = path.join(tempFolder(), 'store');
    const submitted = await study.run({ ...ask, store });
    expect(submitted.chunks).toMatchObject([
      { submission: '0001', job: '11', tasks: 4 },
      { submission: '0002', job: '11', tasks: 2 },
    ]);
    expect(shown(submitted)).toContain('6 of 6');
    fakeSlurm({
      squeue: `name=$(grep -ho 'gondwana-tiny-1-[0-9a-f]*' '${store}/submissions/0001/batch.sh')
echo "$name|11|0|RUNNING|n1|None"; echo "$name|11|1|PENDING||Resources"; echo "$name|11|2|COMPLETED|n1|None"`,
    });
    const status = await study.status({ store });
    // the first has not said yet that it is at work; of the others the queue knows nothing any more
    expect(status).toMatchObject({ total: 6, done: 0, queued: 2, missing: 4, unknown: 0 });
    expect(shown(status)).toMatch(/efficientnet-lite0/);
    expect(shown(status)).toMatch(/1 task of submission 0001 \(job 11\) waits: Resources/);
    fakeSlurm({
      squeue: `name=$(grep -ho 'gondwana-tiny-1-[0-9a-f]*' '${store}/submissions/0001/batch.sh')
echo "$name|11|1-3%1|PENDING||JobArrayTaskLimit"; echo "$name|11|0|RUNNING|n1|None"`,
    });
    expect(await study.status({ store })).toMatchObject({ queued: 4, missing: 2 });
  });

  it('refuses an option that there is not, and takes a time in minutes', async () => {
    const store = path.join(tempFolder(), 'store');
    const misspelt = { ...ask, store, cpu: 8 } as SubmitOptions;
    await expect(study.run(misspelt)).rejects.toMatchObject({
      code: 'OPTION_UNKNOWN',
      hint: expect.stringContaining('Did you mean "cpus"?') as string,
    });
    fakeSlurm();
    const { chunks } = await study.run({ ...ask, store, time: 25, isDryRun: true });
    expect(chunks.map(({ limitMinutes }) => limitMinutes)).toEqual([25, 25]);
    expect(existsSync(store)).toBe(false);
  });

  it('refuses a limit that would wait for ever, and a partition that there is not', async () => {
    fakeSlurm();
    const store = path.join(tempFolder(), 'store');
    await expect(study.run({ ...ask, store, time: '3:00:00' })).rejects.toMatchObject({
      code: 'OPTION_VALUE',
      hint: expect.stringContaining('0-02:00:00') as string,
    });
    await expect(study.run({ ...ask, store, partition: 'gqu' })).rejects.toMatchObject({
      hint: expect.stringContaining('Did you mean "gpu"?') as string,
    });
    const { chunks } = await study.run({ ...ask, store, partition: 'gpu', time: '3:00:00', isDryRun: true });
    expect(chunks).toMatchObject([{ limitMinutes: 180 }, { limitMinutes: 180 }]);
    expect(existsSync(store)).toBe(false);
  });

  it('sends what the cluster takes, and says what it does not', async () => {
    const folder = tempFolder();
    const store = path.join(folder, 'store');
    const once = `cat > /dev/null; if [ -e '${folder}/sent' ]; then echo 'sbatch: error: QOSMaxSubmitJobPerUserLimit' >&2; exit 1; fi`;
    fakeSlurm({ sbatch: `${once}; touch '${folder}/sent'; echo 21` });
    const submitted = await study.run({ ...ask, store });
    expect(submitted).toMatchObject({ submitted: 4, chunks: [{ job: '21' }] });
    expect(submitted.notices.join()).toContain('QOSMaxSubmitJobPerUserLimit');
    expect(readFileSync(path.join(store, 'submissions/0002/submission.json'), 'utf8')).toContain(
      '"job":null',
    );
    const next = path.join(folder, 'next');
    await expect(study.run({ ...ask, store: next })).rejects.toMatchObject({ code: 'SLURM_REFUSED' });
  });

  it('leaves open whether a controller that fell silent has taken a job, and sends nothing while it is', async () => {
    fakeSlurm({ sbatch: `cat > /dev/null; echo 'Socket timed out on send/recv operation' >&2; exit 1` });
    const store = path.join(tempFolder(), 'store');
    await expect(study.run({ ...ask, store })).rejects.toMatchObject({ code: 'SLURM_SILENT' });
    expect(readdirSync(path.join(store, 'submissions/0001'))).not.toContain('submission.json');
    fakeSlurm({ squeue: `echo 'Unable to contact slurm controller' >&2; exit 1` });
    await expect(study.run({ ...ask, store })).rejects.toMatchObject({ code: 'SLURM_SILENT' });
    expect(await study.status({ store })).toMatchObject({
      unknown: 4,
      missing: 2,
      queueUnknown: expect.any(String) as string,
    });
  });

  it('says where there is no Slurm', async () => {
    vi.stubEnv('PATH', tempFolder());
    const store = path.join(tempFolder(), 'store');
    await expect(study.run({ ...ask, store })).rejects.toMatchObject({ code: 'SLURM_MISSING' });
    const { notices, script } = await study.run({ ...ask, store, isDryRun: true });
    expect(notices.join()).toContain('defaults are assumed');
    expect(script).toContain('#SBATCH --array=0-5');
  });
});
