/**
 * One output in several forms, by MIME type; a front end draws the richest it knows. Images are base64.
 * A chart never carries `text/html`: beside it JupyterLab leaves the chart undrawn.
 */
export type MimeBundle = Readonly<Record<string, unknown>>;

export const TEXT = 'text/plain';
export const HTML = 'text/html';
export const MARKDOWN = 'text/markdown';
export const PNG = 'image/png';
export const SVG = 'image/svg+xml';
/** A compiled Vega specification, drawn alike by Vega 5.33 and 6. */
export const VEGA = 'application/vnd.vega.v5+json';

const METADATA = Symbol.for('gondwana.display-metadata');

/** By MIME type, e.g. `{ 'image/png': { width: 520, height: 300 } }` for the size at which a picture is shown. */
export type MimeMetadata = Readonly<Record<string, unknown>>;

/** The bundle with metadata beside it, under a symbol: neither JSON nor a structured clone sees it. */
export const withMetadata = (bundle: MimeBundle, metadata: MimeMetadata): MimeBundle =>
  Object.defineProperty({ ...bundle }, METADATA, { value: metadata });

/** What `withMetadata` put beside the bundle, for the `metadata` of a message; empty where there is none. */
export const metadataOf = (bundle: MimeBundle): MimeMetadata =>
  (bundle as { [METADATA]?: MimeMetadata })[METADATA] ?? {};

/** The bundle's text form, empty where it has none. */
export const textOf = (bundle: MimeBundle): string => (typeof bundle[TEXT] === 'string' ? bundle[TEXT] : '');

/** Text with everything that HTML takes as markup made harmless, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text in which no character moves a terminal's cursor or changes its colours. */
export const plainText = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ');
