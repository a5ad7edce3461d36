import { startEngine } from './engine.js';
import { findNativeEngines } from './native.js';
import { tf } from './tf.js';
import { errorData } from '../errors.js';

/**
 * A program of its own, so that a native library which takes its process down (a missing processor
 * feature, a broken driver) does so here. Prints what starts, after one sum was computed with it.
 */
const isNativeInstalled = findNativeEngines().length > 0;
const say = (answer: object): void =>
  void process.stdout.write(`\n${JSON.stringify({ ...answer, isNativeInstalled })}\n`);

startEngine().then(
  (engine) => {
    const sum = tf.tidy(() => tf.ones([3]).sum().dataSync()[0]);
    say(sum === 3 ? { engine } : { error: { code: '', message: `1 + 1 + 1 gave ${sum}`, hint: '' } });
  },
  (error: unknown) => say({ error: errorData(error) }),
);
