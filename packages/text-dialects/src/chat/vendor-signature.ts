/**
 * Marks a signature that a chat upstream gave: it must not reach another vendor, nor another
 * vendor's reach this one.
 */
const prefix = 'gw1s.';

export const markVendorSignature = (signature: string): string => `${prefix}${signature}`;

/** The signature as the chat upstream gave it, or undefined when it came from elsewhere. */
export const vendorSignature = (signature: string | undefined): string | undefined =>
  signature?.startsWith(prefix) === true ? signature.slice(prefix.length) : undefined;
