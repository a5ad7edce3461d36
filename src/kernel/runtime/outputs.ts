import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { metadataOf, type MimeBundle } from '../../display/mime.js';
import type { DisplaySink } from '../../display/sink.js';
import type { Content } from '../protocol.js';
import type { WireLink } from './wire-link.js';

/**
 * The display sink of this kernel.
 * @param parent id of the request whose outputs are being made
 */
export function kernelSink(wire: WireLink, parent: () => string): DisplaySink {
  const send = (
    kind: 'display_data' | 'update_display_data',
    bundle: MimeBundle,
    displayId: string | undefined,
    owner: string,
  ): void =>
    wire.post({
      type: 'publish',
      kind,
      content: { ...mimeContent(bundle), transient: displayId ? { display_id: displayId } : {} },
      parent: owner,
    });
  return {
    progressIntervalMs: 100,
    show: (bundle) => send('display_data', bundle, undefined, parent()),
    open(bundle) {
      const displayId = randomUUID();
      const owner = parent();
      send('display_data', bundle, displayId, owner);
      return { displayId, update: (next) => send('update_display_data', next, displayId, parent()) };
    },
    clear: (wait) =>
      wire.post({ type: 'publish', kind: 'clear_output', content: { wait }, parent: parent() }),
  };
}

/** `data` and `metadata` of a display message: plain JSON, bytes as base64. */
export const mimeContent = (bundle: MimeBundle): { data: Content; metadata: Content } => ({
  data: plainJson(bundle),
  metadata: plainJson(metadataOf(bundle)),
});

/** Drops what JSON cannot say (functions, undefined), so that no output is lost on its way between threads. */
function plainJson(value: Readonly<Record<string, unknown>>): Content {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => {
      if (typeof item === 'string') return [[key, item]];
      if (item instanceof Uint8Array) return [[key, Buffer.from(item).toString('base64')]];
      const text = JSON.stringify(item, (_, inner: unknown) =>
        typeof inner === 'bigint' ? String(inner) : inner,
      ) as string | undefined;
      return text === undefined ? [] : [[key, JSON.parse(text) as unknown]];
    }),
  );
}

export interface TslabDisplayData {
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata?: Content;
  readonly transient?: Content;
}

/** What `tslab.display` and `tslab.newDisplay` call: set as `lastWriteDisplayData` of tslab's `jupyter` module. */
export type TslabWriter = (data: TslabDisplayData, update: boolean) => void;

export const tslabWriter =
  (wire: WireLink, parent: () => string): TslabWriter =>
  ({ data, metadata = {}, transient = {} }, update) =>
    wire.post({
      type: 'publish',
      kind: update ? 'update_display_data' : 'display_data',
      content: { data: plainJson(data), metadata, transient },
      parent: parent(),
    });
