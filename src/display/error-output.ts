import { describeError, GondwanaError } from '../errors.js';
import { escapeHtml, HTML, TEXT, type MimeBundle } from './mime.js';
import { JUPYTER_DISPLAY } from './showable.js';

/** The error in three lines: what was wrong, where, what to do. */
export function errorBundle(error: GondwanaError): MimeBundle {
  const line = (label: string, text: string): string =>
    text && `<br><span style="opacity:.7">${label}</span> ${escapeHtml(text).replaceAll('\n', '<br>')}`;
  const html =
    `<div style="border-left:3px solid #d33;padding:.2em .8em"><strong>${escapeHtml(error.code)}</strong> ` +
    `${escapeHtml(error.message)}${line('where:', error.where)}${line('to do:', error.hint)}</div>`;
  return { [TEXT]: describeError(error), [HTML]: html };
}

// errors lie below this layer and know nothing of notebooks
Object.defineProperty(GondwanaError.prototype, JUPYTER_DISPLAY, {
  value(this: GondwanaError) {
    return errorBundle(this);
  },
  configurable: true,
  writable: true,
});
