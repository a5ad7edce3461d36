import { createRequire } from 'node:module';
import { inspect } from 'node:util';
import { afterEach, expect, test, vi } from 'vitest';
import type { MimeBundle } from '../../src/display/mime.js';
import { bundleOf } from '../../src/display/bundle.js';
import { setDisplaySink } from '../../src/display/active-sink.js';
import { display } from '../../src/display/show.js';
import { scoresChart } from '../../src/report/charts/scores.js';
import '../../src/report/render-chart.js';
import { encodePng } from '../../src/io/png.js';
import { endStandInKernel, standInKernel } from '../support/kernel-link.js';
import { syntheticRecords } from '../fixtures/results/synthetic-store.js';

const spec = scoresChart(syntheticRecords());

afterEach(() => {
  setDisplaySink(undefined);
  endStandInKernel();
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

test('display of any value shows it as itself, several one after the other, and returns nothing to print', async () => {
  const { outputs } = standInKernel();
  expect(display({ a: { b: 1 } }, [{ a: 1 }], 'text')).toBeUndefined();
  expect(outputs.map(({ bundle }) => Object.keys(bundle).length)).toEqual([1, 3, 1]);
  const shown = display(spec, 'after the chart');
  expect(outputs).toHaveLength(3);
  // a cell that ends with it prints nothing for it
  expect(await bundleOf(shown)).toEqual({});
  expect(inspect(shown)).toBe('');
  await shown;
  expect(outputs.slice(3).map(({ bundle }) => Object.keys(bundle))).toEqual([
    ['application/vnd.vega.v5+json', 'image/png', 'text/plain'],
    ['text/plain'],
  ]);
  // the picture has two pixels for one of the chart
  const png = Buffer.from(outputs[3]!.bundle['image/png'] as string, 'base64');
  expect(outputs[3]!.metadata).toEqual({
    'image/png': {
      width: Math.round(png.readUInt32BE(16) / 2),
      height: Math.round(png.readUInt32BE(20) / 2),
    },
  });
});

test('the kernel holds a cell for what is still drawn, and a failure nobody awaits stays unhandled', async () => {
  const { held } = standInKernel();
  const shown = display(spec) as Promise<void>;
  expect(held).toHaveLength(1);
  await Promise.all([shown, held[0]]);
  const broken = display({ $schema: spec.$schema, mark: 'nonsense' }) as Promise<void>;
  await held[1];
  await expect(broken).rejects.toMatchObject({ code: 'CHART_SPEC' });
});

test('a chart of the library shows itself, and its specification stays plain JSON', async () => {
  expect(Object.keys(await bundleOf(spec))).toEqual([
    'application/vnd.vega.v5+json',
    'image/png',
    'text/plain',
  ]);
  expect(structuredClone(spec)).toEqual(JSON.parse(JSON.stringify(spec)));
});

test('a handle is one output that later values replace, the last one asked for staying', async () => {
  const { outputs } = standInKernel();
  const handle = display.handle('first');
  expect([handle.display_id, outputs[0]!.bundle['text/plain']]).toEqual(['id-1', "'first'"]);
  const drawn = handle.update(spec);
  void handle.update([{ a: 1 }]);
  await drawn;
  expect(outputs[0]!.updates.map((bundle) => Object.keys(bundle).length)).toEqual([3]);
  expect(await bundleOf(handle)).toEqual({});
  const empty = display.handle();
  void empty.update(42);
  expect([outputs[1]!.bundle, outputs[1]!.updates]).toEqual([{ 'text/plain': '' }, [{ 'text/plain': '42' }]]);
  const chart = display.handle(spec);
  await vi.waitFor(() => expect(outputs[2]!.updates).toHaveLength(1), { timeout: 5000 });
  expect(chart.display_id).toBe('id-3');
});

test('pictures, vector graphics, text and any other type have methods of their own', async () => {
  const { outputs } = standInKernel();
  const png = encodePng({ data: Uint8Array.of(1, 2, 3, 4), height: 2, width: 2, bandCount: 1 });
  display.png(png, { width: 40, alt: 'two by two' });
  display.image({ data: new Uint8Array(2 * 3 * 3), width: 3, height: 2, channels: 3 });
  display.image(png, { alt: 'again' });
  display.svg('<svg xmlns="http://www.w3.org/2000/svg"/>');
  display.text('just text');
  display.raw('application/json', { a: [1] });
  display.raw('text/latex', '$x$');
  display.raw('application/x-bytes', Uint8Array.of(1, 2, 3));
  const [first, image, again, svg, text, json, latex, bytes] = outputs.map(({ bundle }) => bundle);
  expect(first).toEqual({
    'image/png': Buffer.from(png).toString('base64'),
    'text/plain': '[image] two by two',
  });
  expect(outputs[0]!.metadata).toEqual({ 'image/png': { width: 40 } });
  expect(image!['text/plain']).toBe('[image] 2 × 3 × 3 (height × width × band), uint8');
  expect(again!['text/plain']).toBe('[image] again');
  expect(Object.keys(svg!)).toEqual(['text/plain', 'image/svg+xml']);
  expect(text).toEqual({ 'text/plain': 'just text' });
  expect(json!['application/json']).toEqual({ a: [1] });
  expect(latex).toEqual({ 'text/plain': '$x$', 'text/latex': '$x$' });
  expect(bytes!['application/x-bytes']).toBe('AQID');
  for (const wrong of [Uint8Array.of(1, 2), { data: [1], width: 1, height: 1 }]) {
    expect(() => display.image(wrong as never)).toThrow(TypeError);
  }
  expect(() => display.png(Uint8Array.of(1))).toThrow(TypeError);
  expect(() => display.table({ no: 'table' })).toThrow(TypeError);
});

test('a table has twenty rows unless more are asked for', () => {
  const { outputs } = standInKernel();
  const rows = Array.from({ length: 30 }, (_, i) => ({ i }));
  display.table(rows);
  display.table(rows, { maximumRows: 25 });
  expect(outputs.map(({ bundle }) => (bundle['text/plain'] as string).split('\n').at(-1))).toEqual([
    '… 10 more of 30 rows',
    '… 5 more of 30 rows',
  ]);
});

test('the order of sinks: the one that was set, the kernel, tslab, the terminal', () => {
  const { outputs } = standInKernel();
  const { shown } = recordingSink();
  display.text('to the set one');
  setDisplaySink(undefined);
  display.text('to the kernel');
  expect([shown, outputs.map(({ bundle }) => bundle)]).toEqual([
    [{ 'text/plain': 'to the set one' }],
    [{ 'text/plain': 'to the kernel' }],
  ]);
});

test('in a terminal any value is text, and a chart is not drawn for its words', () => {
  const printed: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0);
  expect(display(spec)).toBeUndefined();
  void display({ a: 1 });
  display.handle();
  expect(printed).toEqual([expect.stringMatching(/^\[chart\] mIoU on test/), '{ a: 1 }\n']);
});
