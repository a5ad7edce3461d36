import { createProgress, streamTarget } from '../display/progress.js';
import { fetchWheel } from '../io/wheel.js';
import type { WheelSource } from '../manifests/download-source.js';
import type { CommandContext } from './command.js';

/** Downloads and checks a wheel with a progress bar; returns its path in the cache. @throws what fetchWheel throws */
export async function getWheel({ signal, stderr }: CommandContext, source: WheelSource): Promise<string> {
  const view = createProgress(streamTarget(stderr), { title: `${source.package} ${source.version}` });
  const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
  const pin = { name: source.package, version: source.version, sha256: source.sha256, file: source.wheel };
  const file = await fetchWheel(pin, {
    signal,
    onProgress: (done, total) =>
      view.update(
        total ? done / total : 0,
        total ? `${megabytes(done)} of ${megabytes(total)}` : megabytes(done),
      ),
  });
  view.finish();
  return file;
}
