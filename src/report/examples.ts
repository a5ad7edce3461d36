import { formatNumber } from '../display/numbers.js';
import type { ExampleRow, RunRecord } from '../results/run-record.js';
import type { Arm } from '../statistics/arms.js';
import { counted, markup, type Markup } from './html.js';
import { decodeLabels, OVERLAY_COLORS, predictionOverlay, truthOverlay, type LabelMap } from './overlay.js';
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
      return exampleRow(window, shown, read, `${view.dataset}-${i}`, problems);
    } catch (error) {
      problems.push(`${window.id}: ${(error as Error).message}`);
      return undefined;
    }
  });
  const seeds = new Set(shown.map(({ run }) => run.definition.seed));
  const seedText = seeds.size === 1 ? `seed ${String([...seeds][0])}` : 'the first seed of each arm';
  const total = new Set(shown.flatMap(({ run }) => run.examples.map((example) => example.id))).size;
  return markup` <p class="context">
      ${view.dataset}: ${windows.length} of ${counted(total, 'stored window')}, predictions of ${seedText}
      (${counted(shown.length, 'run')}), ${evaluationName(view, view.evaluation)}; scores are of the window alone.
    </p>
    <div class="tools">
      ${legend()}<label><input type="checkbox" class="size" /> larger images</label>
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

function exampleRow(
  window: ExampleRow,
  shown: readonly { arm: Arm; run: RunRecord }[],
  read: ArtifactReader,
  name: string,
  problems: string[],
): Markup {
  const truth = decodeLabels(read(window.truth));
  const picture = `window-${name.replace(/[^A-Za-z0-9-]/g, '_')}`;
  const panes = [
    pane(picture, truth, undefined, 'image', '', `${window.id}: the image`),
    pane(picture, truth, truthOverlay(truth), 'truth', '', `${window.id}: the truth over the image`),
  ];
  for (const { arm, run } of shown) {
    const example = run.examples.find(({ id }) => id === window.id);
    if (!example) {
      panes.push(
        markup`<figure class="pane missing">
          <div>no prediction stored</div>
          <figcaption>${arm.name}</figcaption>
        </figure>`,
      );
      continue;
    }
    try {
      const overlay = predictionOverlay(truth, decodeLabels(read(example.prediction)));
      panes.push(
        pane(
          picture,
          truth,
          overlay,
          arm.name,
          `mIoU ${formatNumber(example.score, 3)}`,
          `${window.id}: hits, misses and false alarms of ${arm.name}`,
        ),
      );
    } catch (error) {
      problems.push(`${window.id}, ${arm.name}: ${(error as Error).message}`);
    }
  }
  const place = window.place === 'all' ? window.split : `${window.split}, ${window.place}`;
  return markup` <section class="window">
    <h4>${place} <span class="id">${window.id}</span></h4>
    <svg class="store" aria-hidden="true">
      <defs>
        <image
          id="${picture}"
          width="${truth.width}"
          height="${truth.height}"
          href="${dataUri(read(window.image))}"
        />
      </defs>
    </svg>
    <div class="panes">${panes}</div>
  </section>`;
}

function pane(
  picture: string,
  { width, height }: LabelMap,
  overlay: Uint8Array | undefined,
  caption: string,
  score: string,
  label: string,
): Markup {
  const over = overlay && markup`<image width="${width}" height="${height}" href="${dataUri(overlay)}" />`;
  return markup`<figure class="pane">
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
      <use href="#${picture}" />
      ${over}
    </svg>
    <figcaption>${caption}${score && markup` <span>${score}</span>`}</figcaption>
  </figure>`;
}

const dataUri = (png: Uint8Array): string => `data:image/png;base64,${Buffer.from(png).toString('base64')}`;

function legend(): Markup {
  const entries = [
    ['truth', 'object in the truth'],
    ['hit', 'hit'],
    ['miss', 'miss'],
    ['false-alarm', 'false alarm'],
  ] as const;
  return markup`<ul class="legend">
    ${entries.map(([kind, text]) => markup`<li><i style="--key:rgb(${OVERLAY_COLORS[kind].join(' ')})"></i>${text}</li>`)}
  </ul>`;
}
