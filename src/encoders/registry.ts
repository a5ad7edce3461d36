import { lookUp } from '../registry.js';
import type { EncoderFamily } from './encoder.js';

/** Encoder families by the name that manifests give them. */
export const encoderFamilies = {
  croma: async (): Promise<EncoderFamily> => (await import('./croma.js')).croma,
  dofa: async (): Promise<EncoderFamily> => (await import('./dofa.js')).dofa,
  'efficientnet-lite': async (): Promise<EncoderFamily> =>
    (await import('./efficientnet-lite.js')).efficientNetLite,
  resnet: async (): Promise<EncoderFamily> => (await import('./resnet.js')).resnet,
  vit: async (): Promise<EncoderFamily> => (await import('./vit.js')).vit,
};

/** @throws UsageError ENCODER_FAMILY_UNKNOWN */
export const getEncoderFamily = (id: string): Promise<EncoderFamily> =>
  lookUp(encoderFamilies, id, 'encoder family');
