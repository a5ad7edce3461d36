import type { SampleImage } from '../datasets/sample.js';
import type { AcquisitionTime, Place } from './acquisition.js';

/** One sample as an encoder takes it: its images by modality, already normalised, and what is known of it. */
export interface EncoderSample {
  /** Those of a dataset's sample after `preprocess`, or of the same form. */
  readonly images: Readonly<
    Record<string, Pick<SampleImage, 'data' | 'timeCount' | 'height' | 'width' | 'bands'>>
  >;
  /** One a date. */
  readonly times?: readonly AcquisitionTime[];
  readonly place?: Place;
  /** Metres per pixel. */
  readonly groundSamplingDistance?: number;
}
