// What cells find without importing it. The kernel adds this file to the program of every cell, so it reaches no
// more than the light declarations named here: test/kernel/globals.test.ts lists them.

/** Shows values in the notebook: `display(value)`, `display.table(rows)`, `display.chart(spec)`, … */
declare const display: import('../dist/display/show.js').Display;

/** Removes the outputs of this cell; with `wait` only when the next output comes. */
declare const clearOutput: typeof import('../dist/display/kernel.js').clearOutput;

/** Asks for one line below the cell: `const name = await input('Name: ')`. */
declare const input: typeof import('../dist/display/kernel.js').input;

/** Shows how far a loop is: `for (const tile of progress(tiles)) …`. */
declare const progress: import('../dist/display/progress-loop.js').Progress;

/** The kernel: `kernel.signal` is aborted when the cell is interrupted. */
declare const kernel: import('../dist/display/kernel.js').Kernel;

/** The last result. */
declare const _: any;
/** The last result but one. */
declare const __: any;
/** The last result but two. */
declare const ___: any;
/** Results by the number of their cell: `Out[3]`. */
declare const Out: Readonly<Record<number, any>>;
/** What was typed, by the number of its cell: `In[3]`. */
declare const In: readonly string[];
