/** A shipped study as a module: its types taken away, its imports left as they are. The build calls this. */
export async function translateStudy(source: string): Promise<string> {
  const { transform } = await import('esbuild');
  const { code } = await transform(source, { loader: 'ts', format: 'esm', target: 'node20' });
  return code;
}
