import type { Completeness, Completion, Inspection } from './cell-engine.js';

/**
 * What the kernel's threads say to each other. The wire thread owns the sockets, the queue of cells and the
 * interrupts; the main thread runs user code; the language thread reads code.
 * `parent` is always the id of the request a message answers (`header.msg_id`): the wire thread keeps the headers.
 */

/** JSON object of a message. */
export type Content = Readonly<Record<string, unknown>>;

export interface ExecuteMessage {
  readonly type: 'execute';
  readonly id: string;
  readonly code: string;
  /** Number of the prompt; that of the cell before where the request is silent. */
  readonly count: number;
  readonly silent: boolean;
  readonly storeHistory: boolean;
  readonly allowStdin: boolean;
  /** Expressions to evaluate after the cell, by name. */
  readonly userExpressions: Readonly<Record<string, string>>;
  /** `cellId` of the message's metadata, where the front end sends one. */
  readonly cellId?: string;
}

export interface CommMessage {
  readonly type: 'comm';
  readonly kind: 'comm_open' | 'comm_msg' | 'comm_close';
  readonly content: Content;
  readonly metadata: Content;
  readonly buffers: readonly Uint8Array[];
  readonly parent: string;
}

/** From the wire thread to the main thread. */
export type ToMain =
  | ExecuteMessage
  | CommMessage
  /** The front end asks to stop the cell at work (`id`). */
  | { readonly type: 'interrupt'; readonly id: string }
  /**
   * Asks whether the event loop turns. With `abandon` the cell of that id was ended by force: what it still
   * reports is dropped, the main thread answers `pong` and no `done`.
   */
  | { readonly type: 'ping'; readonly n: number; readonly abandon?: string }
  | { readonly type: 'input-reply'; readonly n: number; readonly value: string }
  | { readonly type: 'comm-info'; readonly n: number; readonly target?: string }
  /** End now: timers, children and workers are not waited for. */
  | { readonly type: 'exit'; readonly restart: boolean };

/** How a cell ended, for `execute_reply`. */
export type ExecuteResult =
  | {
      readonly status: 'ok';
      readonly payload: readonly Content[];
      readonly userExpressions: Content;
    }
  | {
      readonly status: 'error';
      readonly ename: string;
      readonly evalue: string;
      readonly traceback: readonly string[];
    };

/** From the main thread to the wire thread. */
export type ToWire =
  /** User code may come: sent once. */
  | { readonly type: 'ready' }
  | {
      readonly type: 'stream';
      readonly name: 'stdout' | 'stderr';
      readonly text: string;
      readonly parent: string;
    }
  /** Any message of the iopub channel except streams, statuses and errors of cells. */
  | {
      readonly type: 'publish';
      readonly kind:
        | 'display_data'
        | 'update_display_data'
        | 'execute_result'
        | 'clear_output'
        | 'comm_open'
        | 'comm_msg'
        | 'comm_close';
      readonly content: Content;
      readonly metadata?: Content;
      readonly buffers?: readonly Uint8Array[];
      readonly parent: string;
    }
  /** Ends the cell; on error the wire thread publishes the `error` message too. */
  | { readonly type: 'done'; readonly id: string; readonly result: ExecuteResult }
  | { readonly type: 'pong'; readonly n: number }
  | {
      readonly type: 'input';
      readonly n: number;
      readonly prompt: string;
      readonly password: boolean;
      readonly parent: string;
    }
  | { readonly type: 'comm-info'; readonly n: number; readonly comms: Content };

/** From the wire thread to the language thread, over a port of their own; answered in order. */
export type LanguageQuestion =
  | { readonly n: number; readonly kind: 'complete'; readonly code: string; readonly position: number }
  | {
      readonly n: number;
      readonly kind: 'inspect';
      readonly code: string;
      readonly position: number;
      readonly source: boolean;
    }
  | { readonly n: number; readonly kind: 'is-complete'; readonly code: string };

export interface LanguageAnswer {
  readonly n: number;
  /** undefined: nothing found, or the question failed. */
  readonly answer: Completion | Inspection | Completeness | undefined;
}

/** `workerData` of the wire thread. */
export interface WireOptions {
  readonly connectionFile: string;
  /** Port to the language thread; transferred. */
  readonly language: import('node:worker_threads').MessagePort;
  readonly banner: string;
  readonly version: string;
  /** TypeScript's version, for `language_info`. */
  readonly languageVersion: string;
  /**
   * Bytes that this process may use (`wire/memory-limit.ts`): when its resident memory reaches 90 % of them, the cell
   * at work is interrupted. undefined: no watch.
   */
  readonly memoryLimitBytes?: number;
}
