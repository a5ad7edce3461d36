import path from 'node:path';
import type { Dataset } from '../../datasets/dataset.js';
import type { DatasetPlaces } from '../../datasets/places/dataset-places.js';
import { writeFileAtomic } from '../../io/atomic-file.js';
import { placesChart } from '../charts/places.js';
import { createCharts } from '../figures.js';
import { Markup, markup } from '../html.js';
import { page } from '../page.js';
import type { Composed } from './compose.js';
import type { DatasetPreview, SamplePreview } from './preview-dataset.js';

export interface PreviewTarget {
  /** `FILE.html`, or a folder for the page and a PNG a sample. */
  readonly out: string;
  /** Adds a map. */
  readonly places?: DatasetPlaces;
}

/**
 * Writes a preview as a page that needs no network; into a folder, as `index.html` with a PNG a sample beside it.
 * @returns the files that were written, the page first
 * @throws RunError DISK_FULL, WRITE_FAILED, EMBED_BUNDLE, CHART_PNG; InputError READ_ONLY, NO_PERMISSION, NOT_A_FOLDER, NOT_A_FILE
 */
export async function writePreview(
  dataset: Dataset,
  preview: DatasetPreview,
  { out, places }: PreviewTarget,
): Promise<string[]> {
  const html = await previewPage(dataset, preview, places);
  if (/\.html?$/i.test(out)) {
    await writeFileAtomic(out, html);
    return [out];
  }
  const index = path.join(out, 'index.html');
  await writeFileAtomic(index, html);
  const files = [index];
  const taken = new Set<string>();
  for (const sample of preview.samples) {
    const file = path.join(out, pictureName(sample, taken));
    await writeFileAtomic(file, sample.png());
    files.push(file);
  }
  return files;
}

/** Ids hold slashes, commas and worse; two that become one name are told apart by a number. */
function pictureName({ id, split }: SamplePreview, taken: Set<string>): string {
  const plain = `${split}-${id}`.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 120);
  let name = `${plain}.png`;
  for (let number = 2; taken.has(name); number++) name = `${plain}-${number}.png`;
  taken.add(name);
  return name;
}

async function previewPage(
  { manifest, mode, faults }: Dataset,
  preview: DatasetPreview,
  places: DatasetPlaces | undefined,
): Promise<string> {
  const charts = createCharts();
  const on = Object.keys(faults).filter((id) => faults[id]);
  const figure = places && places.places.length > 0 && charts.figure(placesChart(places));
  const body = markup` <main>
    <header>
      <h1>${manifest.title}</h1>
      <p class="meta">${manifest.id}, split ${preview.split}, ${mode}${on.length > 0 && `, faults that are on: ${on.join(', ')}`}. ${manifest.licence}.</p>
      <div class="answer"><p>${`Predicted: ${manifest.card.predicted}. From: ${manifest.card.from}. Counted: ${manifest.card.counted}.`}</p></div>
    </header>
    <section id="samples">
      <h2>Samples</h2>
      <p class="context">Bands run from their 2nd to their 98th percentile, all dates of a series alike; 8-bit colours are shown as they are. Pixels without a value are hatched.</p>
      ${preview.samples.map(({ sheet, id }) => markup`<figure class="scroll" tabindex="0">${sheetSvg(sheet, id)}</figure>`)}
      ${
        preview.damaged.length > 0 &&
        markup`<div class="note">Samples that cannot be read:<ul>${preview.damaged.map(({ sample, code, message, where }) => markup`<li>${sample}: ${code}: ${message} <span class="mono">${where}</span></li>`)}</ul></div>`
      }
    </section>
    ${figure && markup`<section id="places"><h2>Places</h2>${figure}</section>`}
    <footer>Made by gondwana. Cite: ${manifest.citation}.</footer>
  </main>`;
  return page(`${manifest.title}: samples`, body, charts);
}

const sheetSvg = ({ width, height, content }: Composed, id: string): Markup =>
  markup`<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="pictures of sample ${id}" style="display:block;width:100%;min-width:44rem;max-width:${width}px;height:auto;margin:0 0 2.5rem" font-family="system-ui,'DejaVu Sans',sans-serif">${new Markup(content)}</svg>`;
