/** JSON object of a message. */
type Content = Readonly<Record<string, unknown>>;

/** What goes with the data of a comm message. */
export interface CommExtras {
  readonly metadata?: Content;
  /** Bytes that JSON does not hold, in order. */
  readonly buffers?: readonly Uint8Array[];
}

/** One message that came from the front end. */
export interface CommEvent {
  readonly data: Content;
  readonly metadata: Content;
  readonly buffers: readonly Uint8Array[];
}

/** A two-way line to an object in the front end. */
export interface Comm {
  readonly id: string;
  readonly target: string;
  /** undefined: messages are dropped. */
  onMessage: ((event: CommEvent) => void) | undefined;
  /** The front end closed it. */
  onClose: ((event: CommEvent) => void) | undefined;
  send(data: Content, extras?: CommExtras): void;
  close(data?: Content): void;
}

/** The comms of this kernel. */
export interface Comms {
  /** Opens a comm to a target that the front end has registered. */
  open(target: string, data?: Content, extras?: CommExtras): Comm;
  /** What is done when the front end opens a comm to this target; an earlier one is replaced. */
  register(target: string, onOpen: (comm: Comm, event: CommEvent) => void): void;
}

/**
 * An anywidget: its view is an ES module in the browser, its state is shared with the kernel. The front end needs
 * the anywidget extension (`pip install anywidget`); no Python runs in the kernel.
 */
export interface WidgetDefinition {
  /** Source of an ES module whose default export has `render({ model, el })`. */
  readonly esm: string;
  readonly css?: string;
  /** First values of the state, JSON or bytes; no key may begin with `_`. */
  readonly state?: Readonly<Record<string, unknown>>;
}

export interface Widget {
  /** Id of the model in the front end. */
  readonly id: string;
  get(key: string): unknown;
  /** Changes one value here and in every view. */
  set(key: string, value: unknown): void;
  /** Called after a view has changed the value; returns the way to stop. */
  onChange(key: string, listener: (value: unknown) => void): () => void;
  /** Called with what a view sends by `model.send`; returns the way to stop. */
  onMessage(listener: (content: unknown, buffers: readonly Uint8Array[]) => void): () => void;
  /** Sends a message to all views. */
  send(content: unknown, buffers?: readonly Uint8Array[]): void;
  close(): void;
}
