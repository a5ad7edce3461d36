import { startEngine } from '../engine/engine.js';
import { tf } from '../engine/tf.js';

/**
 * A program of its own, so that a native library which takes its process down (a missing processor
 * feature, a broken driver) does so here. Prints what starts, after one sum was computed with it.
 */
startEngine().then(
  (engine) => {
    const sum = tf.tidy(() => tf.ones([3]).sum().dataSync()[0]);
    process.stdout.write(
      `\n${JSON.stringify(sum === 3 ? { engine } : { error: `1 + 1 + 1 gave ${sum}` })}\n`,
    );
  },
  (error: unknown) =>
    process.stdout.write(`\n${JSON.stringify({ error: String((error as Error).message) })}\n`),
);
