import { corruptData, notTheFormat, tooLarge, unsupported } from './format-error.js';
import { BlockFault } from './geotiff/kernels.js';
import { MAX_IMAGE_BYTES, MAX_IMAGE_FILE_BYTES } from './image-error.js';
import { loadJpegDecoder, readJpegFrame, yCbCrToRgb } from './jpeg-stream.js';
import type { RasterArray } from './raster.js';
import { SNIFF_BYTES } from './sniff.js';
import { readWholeFile } from './whole-file.js';

/** The decoder holds coefficients and lines beside the pixels. */
const BYTES_PER_SAMPLE = 8;
/** A block of 8 × 8 pixels takes at least one bit. */
const MAX_PIXELS_PER_BYTE = 8 * 64;

/**
 * Reads a JPEG image: 1 (grey), 3 (RGB) or 4 bands of uint8. It lies as it is stored: a turn that a camera noted is not
 * carried out.
 * @throws InputError FILE_MISSING, NO_PERMISSION, NOT_A_FILE, EMPTY_FILE, NOT_A_RASTER, CORRUPT_DATA, UNSUPPORTED, TOO_LARGE
 */
export async function readJpeg(file: string): Promise<RasterArray> {
  const bytes = await readWholeFile(file, { maxBytes: MAX_IMAGE_FILE_BYTES });
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) {
    throw notTheFormat('NOT_A_RASTER', 'JPEG', bytes.subarray(0, SNIFF_BYTES), bytes.length, file);
  }
  try {
    const { height, width, samples, isYCbCr } = readJpegFrame(bytes);
    if (height * width * samples * BYTES_PER_SAMPLE > MAX_IMAGE_BYTES) {
      throw tooLarge(file, `The image claims ${height} × ${width} pixels with ${samples} bands.`);
    }
    if (height * width > bytes.length * MAX_PIXELS_PER_BYTE) {
      throw corruptData(
        file,
        `The image claims ${height} × ${width} pixels, which ${bytes.length} bytes cannot hold.`,
      );
    }
    const data = (await loadJpegDecoder())(bytes);
    if (isYCbCr) yCbCrToRgb(data);
    return { data, height, width, bandCount: samples };
  } catch (cause) {
    if (!(cause instanceof BlockFault)) throw cause;
    const message = `The JPEG cannot be decoded: ${cause.message}.`;
    throw cause.isUnsupported
      ? unsupported(file, message, undefined, cause)
      : corruptData(file, message, cause);
  }
}
