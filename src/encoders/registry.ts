import { lookUp } from '../registry.js';
import type { EncoderFamily } from './encoder.js';

/** Encoder families by the name that manifests give them. */
export const encoderFamilies = {
  clay: async (): Promise<EncoderFamily> => (await import('./clay.js')).clay,
  convnext: async (): Promise<EncoderFamily> => (await import('./convnext.js')).convnext,
  croma: async (): Promise<EncoderFamily> => (await import('./croma.js')).croma,
  dofa: async (): Promise<EncoderFamily> => (await import('./dofa.js')).dofa,
  galileo: async (): Promise<EncoderFamily> => (await import('./galileo.js')).galileo,
  presto: async (): Promise<EncoderFamily> => (await import('./presto.js')).presto,
  prithvi: async (): Promise<EncoderFamily> => (await import('./prithvi.js')).prithvi,
  terramind: async (): Promise<EncoderFamily> => (await import('./terramind.js')).terramind,
  'efficientnet-lite': async (): Promise<EncoderFamily> =>
    (await import('./efficientnet-lite.js')).efficientNetLite,
  'gfm-swin': async (): Promise<EncoderFamily> => (await import('./gfm-swin.js')).gfmSwin,
  resnet: async (): Promise<EncoderFamily> => (await import('./resnet.js')).resnet,
  satlas: async (): Promise<EncoderFamily> => (await import('./satlas.js')).satlas,
  swin: async (): Promise<EncoderFamily> => (await import('./swin.js')).swin,
  unet: async (): Promise<EncoderFamily> => (await import('./unet.js')).unet,
  utae: async (): Promise<EncoderFamily> => (await import('./utae.js')).utae,
  data2vec: async (): Promise<EncoderFamily> => (await import('./data2vec.js')).data2vec,
  'dinov3-vit': async (): Promise<EncoderFamily> => (await import('./dinov3-vit.js')).dinov3Vit,
  onnx: async (): Promise<EncoderFamily> => (await import('./onnx.js')).onnx,
  'open-clip': async (): Promise<EncoderFamily> => (await import('./open-clip.js')).openClip,
  'scale-mae': async (): Promise<EncoderFamily> => (await import('./scale-mae.js')).scaleMae,
  'spectral-gpt': async (): Promise<EncoderFamily> => (await import('./spectral-gpt.js')).spectralGpt,
  vit: async (): Promise<EncoderFamily> => (await import('./vit.js')).vit,
};

/** @throws UsageError ENCODER_FAMILY_UNKNOWN */
export const getEncoderFamily = (id: string): Promise<EncoderFamily> =>
  lookUp(encoderFamilies, id, 'encoder family');
