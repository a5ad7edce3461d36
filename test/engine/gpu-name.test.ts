import { describe, expect, it } from 'vitest';
import { gpuName } from '../../src/engine/gpu-name.js';
import { tempFolder } from '../support/temp-folder.js';
import { writeFiles } from '../support/write-files.js';

const information = (model: string): string =>
  `Model: \t\t ${model}\nIRQ:   \t\t 35\nGPU UUID: \t GPU-0\nBus Location: \t 0000:01:00.0\n`;

describe('the name of a GPU', () => {
  it('is the model that the driver lists, several alike once', () => {
    const folder = tempFolder();
    writeFiles(folder, {
      '0000:01:00.0/information': information('NVIDIA L4'),
      '0000:02:00.0/information': information('NVIDIA H100 PCIe'),
      '0000:03:00.0/information': information('NVIDIA L4'),
    });
    expect(gpuName(folder)).toBe('2 × NVIDIA L4, NVIDIA H100 PCIe');
  });

  it('is plain where the driver lists none', () => {
    expect(gpuName(`${tempFolder()}/none`)).toBe('GPU');
  });
});
