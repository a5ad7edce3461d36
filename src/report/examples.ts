import { formatNumber } from '../display/numbers.js';
import type { ExampleRow, RunRecord } from '../results/run-record.js';
import type { Arm } from '../statistics/arms.js';
import { counted, Markup, markup } from './html.js';
import { decodeLabels, OVERLAY_COLORS, predictionOverlay, truthOverlay, type LabelMap } from './overlay.js';
import { describeMarks } from './detections/draw-detections.js';
import { objectMarks } from './detections/object-marks.js';
import { isObjectExample, readObjectExample, type ShownObjects } from './detections/object-example.js';
import { evaluationName, type DatasetView } from './view.js';

/** Reads an image of the store by its path in a record. */
export type ArtifactReader = (artifact: string) => Uint8Array;

/** Windows shown at most; splits and places take turns. */
const MAXIMUM_WINDOWS = 8;

/**
 * Rows of images: the window, the truth over it, and what each arm said. The window's picture stands once
 * in the page, the others are laid over it.
 */
export function exampleSection(view: DatasetView, read: ArtifactReader | undefined): Markup | undefined {
  const shown = view.trained.flatMap((arm) => {
    const run = arm.runs.find((candidate) => candidate.examples.length > 0);
    return run ? [{ arm, run }] : [];
  });
  const windows = chooseWindows(shown.map(({ run }) => run));
  if (!read || windows.length === 0) return undefined;
  const problems: string[] = [];
  const rows = windows.map((window, i) => {
    try {
      const rowOf = isObjectExample(window) ? objectRow : exampleRow;
      return rowOf(window, shown, read, `${view.dataset}-${i}`, problems);
    } catch (error) {
      problems.push(`${window.id}: ${(error as Error).message}`);
      return undefined;
    }
  });
  const seeds = new Set(shown.map(({ run }) => run.definition.seed));
  const seedText = seeds.size === 1 ? `seed ${String([...seeds][0])}` : 'the first seed of each arm';
  const total = new Set(shown.flatMap(({ run }) => run.examples.map((example) => example.id))).size;
  const areObjects = windows.some(isObjectExample);
  return markup` <p class="context">
      ${view.dataset}: ${windows.length} of ${counted(total, 'stored window')}, predictions of ${seedText}
      (${counted(shown.length, 'run')}), ${evaluationName(view, view.evaluation)}; scores are of the window alone.
      ${
        areObjects &&
        `Detections from a score of ${SHOWN_SCORE} on, matched with what they overlap by half or more. Groups, and
        what the edge has cut to less than half, are filled and do not count.`
      }
    </p>
    <div class="tools">
      ${legend(areObjects)}<label><input type="checkbox" class="size" /> larger images</label>
    </div>
    ${rows}
    ${
      problems.length > 0 &&
      markup`<p class="note">
      ${counted(problems.length, 'image')} could not be read: ${problems.join('; ')}.
    </p>`
    }`;
}

/** The windows of all runs, one of each split and place in turn, so that no place fills the page. */
function chooseWindows(runs: readonly RunRecord[]): ExampleRow[] {
  const byId = new Map<string, ExampleRow>();
  for (const example of runs.flatMap((run) => run.examples))
    if (!byId.has(example.id)) byId.set(example.id, example);
  const groups = new Map<string, ExampleRow[]>();
  for (const example of byId.values()) {
    const key = JSON.stringify([example.split, example.place]);
    groups.set(key, [...(groups.get(key) ?? []), example]);
  }
  const queues = [...groups.values()];
  const chosen = new Set<ExampleRow>();
  for (let turn = 0; chosen.size < Math.min(MAXIMUM_WINDOWS, byId.size); turn++) {
    for (const queue of queues) {
      const next = queue[turn];
      if (next && chosen.size < MAXIMUM_WINDOWS) chosen.add(next);
    }
  }
  return queues.flat().filter((example) => chosen.has(example));
}

type Shown = readonly { readonly arm: Arm; readonly run: RunRecord }[];

function exampleRow(
  window: ExampleRow,
  shown: Shown,
  read: ArtifactReader,
  name: string,
  problems: string[],
): Markup {
  const truth = decodeLabels(read(window.truth));
  const picture = pictureId(name);
  const overlay = (png: Uint8Array): Markup =>
    markup`<image width="${truth.width}" height="${truth.height}" href="${dataUri(png)}" />`;
  return windowSection(window, read, truth, picture, [
    pane(picture, truth, undefined, 'image', '', `${window.id}: the image`),
    pane(picture, truth, overlay(truthOverlay(truth)), 'truth', '', `${window.id}: the truth over the image`),
    ...armPanes(window, shown, problems, (arm, { prediction, score }) =>
      pane(
        picture,
        truth,
        overlay(predictionOverlay(truth, decodeLabels(read(prediction)))),
        arm.name,
        `mIoU ${formatNumber(score, 3)}`,
        `${window.id}: hits, misses and false alarms of ${arm.name}`,
      ),
    ),
  ]);
}

/** Detections below are not drawn. */
const SHOWN_SCORE = 0.5;
/** Pixels of the page that a pane of objects is at least wide: labels have their size there. */
const OBJECT_PANE = 300;

/** Boxes or outlines, each arm's beside the truth. */
function objectRow(
  window: ExampleRow,
  shown: Shown,
  read: ArtifactReader,
  name: string,
  problems: string[],
): Markup {
  const truth = readObjectExample(read(window.truth));
  const picture = pictureId(name);
  const pixel = truth.width / OBJECT_PANE;
  const marksOf = (found: ShownObjects) =>
    objectMarks({ truth: truth.objects, detected: found.objects }, truth, {
      ...{ pixel, minScore: SHOWN_SCORE, nameOf: truth.nameOf },
      of: truth.hasMasks && found.hasMasks ? 'mask' : 'box',
    });
  const alone = marksOf({ ...truth, objects: [] });
  const count = counted(alone.objects, 'object');
  return windowSection(window, read, truth, picture, [
    pane(picture, truth, new Markup(alone.truth), 'truth', count, `${window.id}: ${count} over the image`),
    ...armPanes(window, shown, problems, (arm, { prediction, score }) => {
      const marks = marksOf(readObjectExample(read(prediction)));
      return pane(
        picture,
        truth,
        new Markup(marks.detected),
        arm.name,
        `AP50 ${formatNumber(score, 3)}`,
        describeMarks(`${window.id}, ${arm.name}`, marks),
      );
    }),
  ]);
}

/** A pane an arm; of one without a prediction an empty one, and one that cannot be read is told. */
function armPanes(
  window: ExampleRow,
  shown: Shown,
  problems: string[],
  draw: (arm: Arm, example: ExampleRow) => Markup,
): Markup[] {
  return shown.flatMap(({ arm, run }) => {
    const example = run.examples.find(({ id }) => id === window.id);
    if (!example) {
      return markup`<figure class="pane missing">
        <div>no prediction stored</div>
        <figcaption>${arm.name}</figcaption>
      </figure>`;
    }
    try {
      return draw(arm, example);
    } catch (error) {
      problems.push(`${window.id}, ${arm.name}: ${(error as Error).message}`);
      return [];
    }
  });
}

const pictureId = (name: string): string => `window-${name.replace(/[^A-Za-z0-9-]/g, '_')}`;

/** The window's picture stands once, for all of its panes. */
function windowSection(
  window: ExampleRow,
  read: ArtifactReader,
  { width, height }: Size,
  picture: string,
  panes: readonly Markup[],
): Markup {
  const place = window.place === 'all' ? window.split : `${window.split}, ${window.place}`;
  return markup` <section class="window">
    <h4>${place} <span class="id">${window.id}</span></h4>
    <svg class="store" aria-hidden="true">
      <defs>
        <image id="${picture}" width="${width}" height="${height}" href="${dataUri(read(window.image))}" />
      </defs>
    </svg>
    <div class="panes${isObjectExample(window) && ' objects'}">${panes}</div>
  </section>`;
}

type Size = Pick<LabelMap, 'width' | 'height'>;

function pane(
  picture: string,
  { width, height }: Size,
  over: Markup | undefined,
  caption: string,
  score: string,
  label: string,
): Markup {
  return markup`<figure class="pane">
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
      <use href="#${picture}" />
      ${over}
    </svg>
    <figcaption>${caption}${score && markup` <span>${score}</span>`}</figcaption>
  </figure>`;
}

const dataUri = (png: Uint8Array): string => `data:image/png;base64,${Buffer.from(png).toString('base64')}`;

function legend(areObjects: boolean): Markup {
  const entries = [
    ['truth', 'object in the truth'],
    ['hit', areObjects ? 'hit, with its score' : 'hit'],
    ['miss', areObjects ? 'miss (dotted)' : 'miss'],
    ['false-alarm', areObjects ? 'false alarm (dashed)' : 'false alarm'],
  ] as const;
  return markup`<ul class="legend">
    ${entries.map(([kind, text]) => markup`<li><i style="--key:rgb(${OVERLAY_COLORS[kind].join(' ')})"></i>${text}</li>`)}
  </ul>`;
}
