/** Pixels as they lie in files: typed arrays, no tensors. */
export type PixelArray =
  Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array | Float64Array;

/** An image; `data` is [height, width, band], band fastest. */
export interface RasterArray {
  readonly data: PixelArray;
  readonly height: number;
  readonly width: number;
  readonly bandCount: number;
}

/** A label map; `data` is [height, width], one class index a pixel. */
export interface LabelArray {
  readonly data: Uint8Array | Int16Array | Int32Array;
  readonly height: number;
  readonly width: number;
}
