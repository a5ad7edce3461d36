import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Where NVIDIA's driver lists the GPUs of a machine. */
const DRIVER_FOLDER = '/proc/driver/nvidia/gpus';

/**
 * Models of the GPUs as the driver lists them, e.g. `NVIDIA H100 PCIe`; several alike once, as `2 × NVIDIA L4`. `GPU`
 * where the driver says nothing. Which of several is used is `CUDA_VISIBLE_DEVICES`' to say, which is not looked at.
 */
export function gpuName(folder: string = DRIVER_FOLDER): string {
  const counts = new Map<string, number>();
  for (const model of modelsIn(folder)) counts.set(model, (counts.get(model) ?? 0) + 1);
  const names = [...counts].map(([model, count]) => (count > 1 ? `${count} × ${model}` : model));
  return names.join(', ') || 'GPU';
}

function modelsIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .sort()
      .flatMap((bus) => {
        const text = readFileSync(path.join(folder, bus, 'information'), 'utf8');
        return /^Model:\s*(.+?)\s*$/m.exec(text)?.[1] ?? [];
      });
  } catch {
    return []; // other drivers, and containers that hide the list
  }
}
