import { tf } from '../tf.js';

/** Name of the backend that knows shapes alone. */
export const SHAPES_BACKEND = 'shapes';

/** True while operations are counted: values are missing, and what is computed with them is counted. */
export const isCounting = (): boolean => tf.getBackend() === SHAPES_BACKEND;
