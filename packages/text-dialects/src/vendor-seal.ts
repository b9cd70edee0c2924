/**
 * Marks the encrypted thoughts of an upstream of the responses format, which travel as a signature:
 * they must not reach a vendor of another format.
 */
const prefix = 'gw1e.';

export const markVendorSeal = (encrypted: string): string => `${prefix}${encrypted}`;

/** The encrypted thoughts as the vendor gave them, or undefined for a signature of another kind. */
export const vendorSeal = (signature: string | undefined): string | undefined =>
  signature?.startsWith(prefix) === true ? signature.slice(prefix.length) : undefined;
