import type { MediaKind } from './media-kind.ts';
import { mediaKinds } from './media-kind.ts';
import type { VendorCapabilities } from './video-vendors.ts';

/**
 * How a file of ours reaches a vendor: it fetches a signed address, or gets the bytes as a `data:`
 * URL.
 */
export type AssetDelivery = 'url' | 'inline';

export interface DeliveryQuestion {
  readonly capabilities: VendorCapabilities;
  /** Whether the vendor can be expected to reach the gateway's public address. */
  readonly canFetch: boolean;
}

/**
 * Most bytes that go inline in one request, of a vendor that does not say: base64 makes a third
 * more of them, and bodies end at 64 MB.
 */
const usualInlineMaxBytes = 45_000_000;

/**
 * An address where possible: bytes in the request cost memory at both ends. Undefined: there is no
 * way to this vendor.
 */
export function assetDelivery(
  kind: MediaKind,
  { capabilities, canFetch }: DeliveryQuestion,
): AssetDelivery | undefined {
  if (canFetch && (capabilities.urlKinds ?? mediaKinds).includes(kind)) return 'url';
  return capabilities.inlineKinds.includes(kind) ? 'inline' : undefined;
}

export const inlineMaxBytesOf = ({ inlineMaxBytes }: VendorCapabilities): number =>
  inlineMaxBytes ?? usualInlineMaxBytes;
