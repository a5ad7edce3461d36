import { loadJpegDecoder, readJpegFrame, yCbCrToRgb } from '../../jpeg-stream.js';
import { BlockFault } from '../kernels.js';
import type { Layout } from '../layout.js';

/**
 * Loads the JPEG decoder for a page. Colours stored as YCbCr come back as red, green and blue.
 * @param tables the page's JPEGTables, which its blocks leave out
 */
export async function loadJpeg(
  { blockWidth, blockHeight, samplesPerBlockPixel: samples, photometric }: Layout,
  tables: Uint8Array | undefined,
): Promise<(input: Uint8Array, rows: number) => Uint8Array> {
  let decode: (stream: Uint8Array) => Uint8Array;
  try {
    decode = await loadJpegDecoder(tables);
  } catch (cause) {
    decode = () => {
      throw cause;
    };
  }
  return (input, rows) => {
    const frame = readJpegFrame(input);
    const fits = frame.width === blockWidth && frame.height >= rows && frame.height <= blockHeight;
    if (!fits || frame.samples !== samples) {
      throw new BlockFault(
        `its JPEG has ${frame.height} × ${frame.width} pixels with ${frame.samples} samples, the header ${blockHeight} × ${blockWidth} with ${samples}`,
      );
    }
    const pixels = decode(input);
    // the header of the page counts, not what the stream says of itself
    if (photometric === 6 && samples === 3) yCbCrToRgb(pixels);
    return pixels;
  };
}
