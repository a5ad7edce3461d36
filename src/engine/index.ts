// `gondwana/engine`: TensorFlow.js with its types, started on the best engine there is, and the vision ops.
export { ENGINE_NAMES, startEngine, type EngineInfo, type EngineName } from './engine.js';
export { tf } from './tf.js';
export * as ops from './ops/index.js';
