import { createRequire } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import type { MimeBundle } from '../../src/display/mime.js';
import { setDisplaySink } from '../../src/display/active-sink.js';
import { display } from '../../src/display/show.js';
import { scoresChart } from '../../src/report/charts/scores.js';
import '../../src/report/render-chart.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

const spec = scoresChart(syntheticRecords());

afterEach(() => {
  setDisplaySink(undefined);
  vi.restoreAllMocks();
});

function recordingSink() {
  const shown: MimeBundle[] = [];
  const updates: MimeBundle[] = [];
  setDisplaySink({
    show: (bundle) => void shown.push(bundle),
    open: (bundle) => {
      shown.push(bundle);
      return { update: (next) => void updates.push(next) };
    },
    progressIntervalMs: 0,
  });
  return { shown, updates };
}

test('a sink receives whole bundles; a chart has Vega, PNG and text, and no HTML that would hide it', async () => {
  const { shown } = recordingSink();
  display.table([{ a: 1 }]);
  display.html('<p>one</p><p>two</p><script>x</script>');
  display.markdown('*three*');
  await display.chart(spec);
  expect(shown.map((bundle) => Object.keys(bundle))).toEqual([
    ['text/plain', 'text/html', 'text/markdown'],
    ['text/plain', 'text/html'],
    ['text/plain', 'text/markdown'],
    ['application/vnd.vega.v5+json', 'image/png', 'text/plain'],
  ]);
  expect(shown[1]!['text/plain']).toBe('one\n two');
  expect((shown[3]!['application/vnd.vega.v5+json'] as { $schema: string }).$schema).toMatch(/vega\/v5/);
  expect(
    Buffer.from(shown[3]!['image/png'] as string, 'base64')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
});

test('progress opens one output and replaces it', () => {
  const { shown, updates } = recordingSink();
  const view = display.progress({ title: 'study' });
  for (const share of [0, 0.5, 0.9]) view.update(share, 'at work');
  view.finish();
  expect([shown.length, updates.length]).toEqual([1, 3]);
});

test('without a notebook everything is printed as text', async () => {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  display.table([{ a: 1 }]);
  await display.chart(spec);
  display.html('<b>bold</b>');
  expect(printed[0]).toBe('a\n─\n1\n');
  expect(printed[1]).toMatch(/^\[chart\] mIoU on test: Mean mIoU of each arm/);
  expect(printed[2]).toBe('bold\n');
});

test('inside the tslab kernel each output is one type: PNG for charts, HTML for tables', async () => {
  const require = createRequire(import.meta.url);
  // the kernel sets this function when a cell runs; without it, tslab being loaded means nothing
  const jupyter = require('tslab/dist/jupyter.js') as { lastWriteDisplayData: unknown };
  const sent: { data: Record<string, string>; transient: { display_id?: string } }[] = [];
  jupyter.lastWriteDisplayData = (message: (typeof sent)[number]) => void sent.push(message);
  try {
    display.table([{ a: 1 }]);
    await display.chart(spec);
    const view = display.progress();
    view.update(0.1, 'first');
    view.finish();
  } finally {
    jupyter.lastWriteDisplayData = null;
  }
  expect(sent.map(({ data }) => Object.keys(data))).toEqual([
    ['text/html'],
    ['image/png'],
    ['text/html'],
    ['text/html'],
  ]);
  expect(sent[2]!.transient.display_id).toBe(sent[3]!.transient.display_id);
  const printed = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
  display.table([{ a: 1 }]);
  expect(printed).toHaveBeenCalledOnce();
  expect(sent).toHaveLength(4);
});
