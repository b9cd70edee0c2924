import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Signs thinking, so that a block which comes back can be told from an altered or a foreign one.
 */
export interface ThinkingSigner {
  sign(thinking: string): string;
  isGenuine(thinking: string, signature: string): boolean;
}

/** Real signatures are base64 whose first bytes hardly vary; the prefix does the same. */
const prefix = Buffer.from('\u0012\u0001sandbox', 'latin1');

export function createThinkingSigner(key: string): ThinkingSigner {
  const sign = (thinking: string): string =>
    Buffer.concat([prefix, createHmac('sha256', key).update(thinking).digest()]).toString('base64');
  return {
    sign,
    isGenuine(thinking, signature) {
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(thinking))];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
