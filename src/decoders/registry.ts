import { lookUp } from '../registry.js';
import type { DecoderFamily } from './decoder.js';

/** Decoders by id. */
export const decoders = {
  unet: async (): Promise<DecoderFamily> => (await import('./unet.js')).unet,
  'unet-pangaea': async (): Promise<DecoderFamily> => (await import('./unet-pangaea.js')).unetPangaea,
  upernet: async (): Promise<DecoderFamily> => (await import('./upernet.js')).upernet,
};

/** @throws UsageError DECODER_UNKNOWN */
export const getDecoder = (id: string): Promise<DecoderFamily> => lookUp(decoders, id, 'decoder');
