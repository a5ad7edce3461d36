import { lookUp } from '../registry.js';
import type { EncoderFamily } from './encoder.js';

/** Encoder families by the name that manifests give them. */
export const encoderFamilies = {
  'efficientnet-lite': async (): Promise<EncoderFamily> =>
    (await import('./efficientnet-lite.js')).efficientNetLite,
  resnet: async (): Promise<EncoderFamily> => (await import('./resnet.js')).resnet,
};

/** @throws UsageError ENCODER_FAMILY_UNKNOWN */
export const getEncoderFamily = (id: string): Promise<EncoderFamily> =>
  lookUp(encoderFamilies, id, 'encoder family');
