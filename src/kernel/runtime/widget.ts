import { UsageError } from '../../errors.js';
import type { Comm, CommEvent, Comms, Widget, WidgetDefinition } from '../../display/comms.js';
import type { Content } from '../protocol.js';

/** Version of the widget protocol that the messages follow. */
const PROTOCOL = { version: '2.1.0' } as const;
/** Versions of the anywidget extension whose model has these fields. */
const ANYWIDGET = '~0.11.*';
const VIEW = 'application/vnd.jupyter.widget-view+json';

/** Makes widgets on the comms of a kernel, and answers a front end that was loaded anew. */
export function createWidgets(comms: Comms): (definition: WidgetDefinition) => Widget {
  const models = new Map<string, () => Content>();
  comms.register('jupyter.widget.control', (control) => {
    control.onMessage = ({ data }) => {
      if (data.method !== 'request_states') return;
      const buffers: Uint8Array[] = [];
      const paths: (readonly (string | number)[])[] = [];
      const states = Object.fromEntries(
        [...models].map(([id, state]) => {
          const taken = takeBuffers(state());
          taken.paths.forEach((path) => paths.push([id, 'state', ...path]));
          buffers.push(...taken.buffers);
          return [
            id,
            {
              state: taken.state,
              model_name: 'AnyModel',
              model_module: 'anywidget',
              model_module_version: ANYWIDGET,
            },
          ];
        }),
      );
      control.send({ method: 'update_states', states, buffer_paths: paths }, { buffers });
    };
  });

  return ({ esm, css, state = {} }) => {
    const reserved = Object.keys(state).find((key) => key.startsWith('_'));
    if (reserved !== undefined) {
      throw new UsageError(
        'WIDGET_STATE',
        `A widget's state has no key that begins with "_": "${reserved}".`,
        {
          hint: 'Names with "_" belong to the widget protocol; choose another.',
        },
      );
    }
    const own: Record<string, unknown> = { ...state };
    const full = (): Content => ({ ...MODEL, _esm: esm, ...(css !== undefined && { _css: css }), ...own });
    const changes = new Map<string, Set<(value: unknown) => void>>();
    const messages = new Set<(content: unknown, buffers: readonly Uint8Array[]) => void>();

    const first = takeBuffers(full());
    const comm = comms.open(
      'jupyter.widget',
      { state: first.state, buffer_paths: first.paths },
      { metadata: PROTOCOL, buffers: first.buffers },
    );
    models.set(comm.id, full);
    comm.onMessage = (event) => receive(comm, event);
    comm.onClose = () => void models.delete(comm.id);

    const update = (values: Content): void => {
      const { state: plain, paths, buffers } = takeBuffers(values);
      comm.send({ method: 'update', state: plain, buffer_paths: paths }, { buffers });
    };
    const receive = (_: Comm, { data, buffers }: CommEvent): void => {
      if (data.method === 'request_state') return update(full());
      if (data.method === 'custom') return messages.forEach((listener) => listener(data.content, buffers));
      if (data.method !== 'update') return;
      const incoming = putBuffers(data, buffers);
      for (const [key, value] of Object.entries(incoming)) {
        own[key] = value;
        changes.get(key)?.forEach((listener) => listener(value));
      }
    };

    const widget: Widget = {
      id: comm.id,
      get: (key) => own[key],
      set(key, value) {
        own[key] = value;
        update({ [key]: value });
      },
      onChange(key, listener) {
        const listeners = changes.get(key) ?? new Set();
        changes.set(key, listeners.add(listener));
        return () => void listeners.delete(listener);
      },
      onMessage(listener) {
        messages.add(listener);
        return () => void messages.delete(listener);
      },
      send: (content, buffers = []) => comm.send({ method: 'custom', content }, { buffers }),
      close() {
        models.delete(comm.id);
        comm.close();
      },
    };
    Object.defineProperty(widget, Symbol.for('Jupyter.display'), {
      value: () => ({
        [VIEW]: { version_major: 2, version_minor: 0, model_id: comm.id },
        'text/plain': `widget with ${Object.keys(own).join(', ') || 'no state'}`,
      }),
    });
    return widget;
  };
}

const MODEL: Content = {
  _model_module: 'anywidget',
  _model_name: 'AnyModel',
  _model_module_version: ANYWIDGET,
  _view_module: 'anywidget',
  _view_name: 'AnyView',
  _view_module_version: ANYWIDGET,
  _view_count: null,
  _dom_classes: [],
  layout: null,
  tooltip: null,
  tabbable: null,
  _anywidget_id: 'gondwana.widget',
};

type Path = readonly (string | number)[];

/** Bytes are sent beside the JSON: they are left out of their objects and are null in their arrays. */
function takeBuffers(state: Content): { state: Content; paths: Path[]; buffers: Uint8Array[] } {
  const paths: Path[] = [];
  const buffers: Uint8Array[] = [];
  const walk = (value: unknown, path: Path): unknown => {
    if (value instanceof Date) return value;
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
      paths.push(path);
      buffers.push(
        ArrayBuffer.isView(value)
          ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
          : new Uint8Array(value),
      );
      return null;
    }
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...path, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, item]) => [key, walk(item, [...path, key])] as const)
        .filter(([key, item]) => !(item === null && paths.some((p) => same(p, [...path, key])))),
    );
  };
  return { state: walk(state, []) as Content, paths, buffers };
}

const same = (a: Path, b: Path): boolean =>
  a.length === b.length && a.every((part, index) => part === b[index]);

/** The state of an update with its bytes back in their places. Paths that lead nowhere are passed over. */
function putBuffers(data: Content, buffers: readonly Uint8Array[]): Record<string, unknown> {
  const state = isRecord(data.state) ? structuredClone(data.state) : {};
  const paths: unknown[] = Array.isArray(data.buffer_paths) ? data.buffer_paths : [];
  for (const [index, path] of paths.entries()) {
    if (!Array.isArray(path)) continue;
    let target: unknown = state;
    for (const part of path.slice(0, -1)) {
      // a name that is inherited is none of the state's
      target = isRecord(target) && Object.hasOwn(target, part as string) ? target[part as string] : undefined;
    }
    const last: unknown = path.at(-1);
    const isName = typeof last === 'string' || typeof last === 'number';
    if (!isRecord(target) || !isName || buffers[index] === undefined) continue;
    Object.defineProperty(target, last, { ...PLAIN, value: buffers[index] });
  }
  return state;
}

const PLAIN = { configurable: true, enumerable: true, writable: true };

/** An object or array, whose members are taken by name. */
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !ArrayBuffer.isView(value);
