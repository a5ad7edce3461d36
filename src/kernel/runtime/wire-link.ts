import type { ToWire } from '../protocol.js';

/** The runtime's way out: everything a front end sees goes through it, in order. */
export interface WireLink {
  post(message: ToWire): void;
}
