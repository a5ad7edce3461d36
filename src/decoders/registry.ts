import { lookUp } from '../registry.js';
import type { DecoderFamily } from './decoder.js';

/** Decoders by id. */
export const decoders = {
  deeplabv3: async (): Promise<DecoderFamily> => (await import('./deeplabv3.js')).deeplabV3,
  deeplabv3plus: async (): Promise<DecoderFamily> => (await import('./deeplabv3.js')).deeplabV3Plus,
  fcn: async (): Promise<DecoderFamily> => (await import('./fcn.js')).fcn,
  fpn: async (): Promise<DecoderFamily> => (await import('./fpn.js')).fpn,
  'linear-head': async (): Promise<DecoderFamily> => (await import('./linear-head.js')).linearHead,
  'linear-pixel': async (): Promise<DecoderFamily> => (await import('./linear-pixel.js')).linearPixel,
  unet: async (): Promise<DecoderFamily> => (await import('./unet.js')).unet,
  'unet-pangaea': async (): Promise<DecoderFamily> => (await import('./unet-pangaea.js')).unetPangaea,
  'unet-smp': async (): Promise<DecoderFamily> => (await import('./unet-smp.js')).unetSmp,
  upernet: async (): Promise<DecoderFamily> => (await import('./upernet.js')).upernet,
};

export type DecoderId = keyof typeof decoders;

/** Ids of what goes where a decoder goes for tasks of objects: `detection/registry.ts` has them. */
export const detectorIds = ['faster-rcnn', 'mask-rcnn'] as const;

/** Names in the references' configurations. */
export const decoderAliases: Readonly<Record<string, DecoderId>> = {
  seg_upernet: 'upernet',
  reg_upernet: 'upernet',
  SegUPerNet: 'upernet',
  RegUPerNet: 'upernet',
  UperNetDecoder: 'upernet',
  seg_unet: 'unet-pangaea',
  smp_Unet: 'unet-smp',
  UNet: 'unet-smp',
  UNetDecoder: 'unet-smp',
  DeepLabV3: 'deeplabv3',
  DeepLabV3Plus: 'deeplabv3plus',
  FPN: 'fpn',
  FCNDecoder: 'fcn',
  LinearDecoder: 'linear-pixel',
  IdentityDecoder: 'linear-head',
  LinearClassifier: 'linear-head',
  ScalarHead: 'linear-head',
};

/** @throws UsageError DECODER_UNKNOWN */
export const getDecoder = (id: string): Promise<DecoderFamily> =>
  lookUp(decoders, Object.hasOwn(decoderAliases, id) ? decoderAliases[id]! : id, 'decoder');
