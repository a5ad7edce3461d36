import { describe, expect, it } from 'vitest';
import { JUPYTER_DISPLAY } from '../../../src/display/showable.js';
import { runLengthMask } from '../../../src/metrics/coco/run-length-mask.js';
import { drawDetections } from '../../../src/report/detections/draw-detections.js';
import { LabelPlaces } from '../../../src/report/detections/label-places.js';
import { objectMarks } from '../../../src/report/detections/object-marks.js';

const [height, width] = [60, 90];
const image = { data: new Uint8Array(height * width * 3).fill(90), height, width, bandCount: 3 };
const nameOf = (label: number): string => ['', 'tern', 'a <b> gull'][label]!;
const truth = [
  { label: 1, box: [5, 20, 20, 15] as const },
  { label: 2, box: [40, 20, 15, 20] as const },
  { label: 1, box: [60, 2, 25, 25] as const, isCrowd: true },
];
const detected = [
  { label: 1, score: 0.934, box: [6, 21, 20, 14] as const },
  { label: 2, score: 0.61, box: [40, 45, 30, 10] as const },
  { label: 1, score: 0.31, box: [40, 20, 15, 20] as const },
  { label: 1, score: 0.9, box: [65, 5, 10, 10] as const }, // on the crowd
];

describe('drawn detections', () => {
  it('say in words and on hover what was found, missed and of nothing', () => {
    const { alt, svg } = drawDetections(image, { truth, detected }, { nameOf, title: 'coast & co' });
    expect(alt).toBe(
      'coast & co. Truth and detections: 2 objects: 1 hit, 1 miss; 1 false alarm from a score of 0.5',
    );
    for (const words of [
      'hit: tern 0.934',
      'false alarm: a &lt;b&gt; gull 0.610',
      'missed: a &lt;b&gt; gull',
    ])
      expect(svg).toContain(`<title>${words}</title>`);
    expect(svg).toContain('>tern 0.93</text>');
    expect(svg).not.toContain('0.31');
    expect(svg).toContain('coast &amp; co');
  });

  it('are a picture in a notebook, with words beside it', () => {
    const shown = drawDetections(image, { truth, detected }) as unknown as Record<symbol, () => object>;
    const bundle = shown[JUPYTER_DISPLAY]!() as Record<string, string>;
    expect(Object.keys(bundle).sort()).toEqual(['image/png', 'text/plain']);
    expect(bundle['text/plain']).toContain('2 objects: 1 hit');
  });

  it('of one class have scores alone, and no score below the one that is asked for', () => {
    const own = [truth[0]!];
    const found = [detected[0]!, detected[2]!];
    const marks = objectMarks({ truth: own, detected: found }, image, { nameOf, pixel: 0.2, minScore: 0.3 });
    expect([...marks.detected.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text]) => text)).toEqual([
      '0.93',
      '0.31',
    ]);
    expect(marks.truth).not.toContain('<text');
  });

  it('have outlines with their holes where they have masks', () => {
    const pixels = Uint8Array.from({ length: 25 }, (_, at) => (at === 12 ? 0 : 1));
    const object = { label: 1, box: [0, 0, 5, 5] as const, mask: runLengthMask(pixels, 5, 5) };
    const marks = objectMarks({ truth: [object], detected: [] }, { height: 5, width: 5 }, { pixel: 0.1 });
    expect(marks.truth).toContain('M0 0L5 0L5 5L0 5ZM2 3L3 3L3 2L2 2Z');
  });

  it('tell kinds apart by their lines too, not by colours alone', () => {
    const { detected: svg } = objectMarks({ truth, detected }, image, { pixel: 1 });
    expect(new Set([...svg.matchAll(/stroke-dasharray="([^"]*)"/g)].map(([, dash]) => dash)).size).toBe(2);
  });

  it('of an object that was taken for another class are a miss and a false alarm', () => {
    const { counts } = objectMarks({ truth: [truth[0]!], detected: [{ ...detected[0]!, label: 2 }] }, image, {
      pixel: 1,
    });
    expect(counts).toEqual({ hit: 0, miss: 1, 'false-alarm': 1 });
  });
});

describe('labels', () => {
  it('never lie on each other or outside, and what finds no room is counted', () => {
    const places = new LabelPlaces({ height: 40, width: 100 }, 1);
    const drawn = Array.from({ length: 4 }, () => places.label('0.99', [80, 5, 15, 20], 'red'));
    const tops = drawn.map((svg) => /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/.exec(svg));
    expect(tops.map((match) => match?.[2])).toEqual(['5', '25', undefined, undefined]);
    expect(Number(tops[0]![1]) + Number(tops[0]![3])).toBeLessThanOrEqual(100);
    expect(places.leftOut).toBe(2);
  });
});
