import { lookUp } from '../registry.js';
import type { DecoderFamily } from './decoder.js';

/** Decoders by id. */
export const decoders = {
  unet: async (): Promise<DecoderFamily> => (await import('./unet.js')).unet,
};

/** @throws UsageError DECODER_UNKNOWN */
export const getDecoder = (id: string): Promise<DecoderFamily> => lookUp(decoders, id, 'decoder');
