import type { ColumnTable } from 'arquero';
import { createRequire } from 'node:module';

/** The part of a danfo.js DataFrame that its users need to get at the rest. */
export interface DanfoFrame {
  /** [rows, columns] */
  readonly shape: readonly number[];
  readonly columns: readonly string[];
  readonly values: readonly unknown[];
}

/**
 * The table as a danfo.js DataFrame, for those who know pandas. danfo.js is loaded by the first call,
 * after the engine, so that both use one copy of TensorFlow.js and its native library.
 * Missing values stay null in text columns and become NaN in columns of numbers, as danfo.js has them.
 *
 * @typeParam Frame type of the frame, e.g. `import('danfojs-node').DataFrame`
 */
export async function toDanfo<Frame = DanfoFrame>(table: ColumnTable): Promise<Frame> {
  // import(), so that tables can be written without loading TensorFlow.js
  const { startEngine } = await import('../engine/engine.js');
  await startEngine();
  // require, since the package is CommonJS and shares its copy of TensorFlow.js with the engine
  const danfo = createRequire(import.meta.url)('danfojs-node') as {
    DataFrame: new (columns: Record<string, unknown[]>) => Frame;
  };
  const columns: Record<string, unknown[]> = {};
  for (const name of table.columnNames()) {
    const values = Array.from(table.array(name) as ArrayLike<unknown>);
    const isNumeric =
      values.some((value) => typeof value === 'number') &&
      values.every((v) => v === null || typeof v === 'number');
    columns[name] = isNumeric ? values.map((value) => value ?? Number.NaN) : values;
  }
  return new danfo.DataFrame(columns);
}
