/** An object as examples keep it; what is found has a score. */
export interface ExampleObject {
  /** Class index of the manifest. */
  readonly label: number;
  /** Left, top, width, height in pixels of the image. */
  readonly box: readonly [number, number, number, number];
  readonly score?: number;
  /** COCO's run lengths, down the columns. */
  readonly mask?: { readonly height: number; readonly width: number; readonly counts: readonly number[] };
  readonly isCrowd?: boolean;
}

/** The JSON file of a truth or a prediction that is a list. */
export interface ObjectExample {
  readonly height: number;
  readonly width: number;
  /** Names of the classes by label; absent in records of earlier versions. */
  readonly classes?: readonly string[];
  readonly objects: readonly ExampleObject[];
}
