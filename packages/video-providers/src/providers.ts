import {
  videoModelBounds,
  type VendorCapabilities,
  type VideoVendorBounds,
  type VideoVendors,
} from '@gateway/contracts';
import type { ProviderConnection, VideoProvider } from './port.ts';
import { createAskServing } from './serving.ts';
import * as registry from './registry.ts';
import type { CredentialCheck, VideoVendor } from './vendor.ts';

const vendors: ReadonlyMap<string, VideoVendor> = new Map(
  Object.values(registry).map((vendor: VideoVendor) => [vendor.kind, vendor]),
);

/** The kinds there are, with what each can carry: for whoever reads a configuration. */
export const videoVendors: VideoVendors = Object.fromEntries(
  [...vendors].map(([kind, { bounds }]): [string, VideoVendorBounds] => [kind, bounds]),
);

/** Throws for a kind that no vendor has; a configuration that was read has none. */
function vendorOf(kind: string): VideoVendor {
  const vendor = vendors.get(kind);
  if (vendor === undefined) throw new Error(`there is no video vendor of the kind ${kind}`);
  return vendor;
}

/** A provider for one vendor account. It opens no connection until it is used. */
export function createVideoProvider(kind: string, connection: ProviderConnection): VideoProvider {
  const { create, credentialCheck } = vendorOf(kind);
  const provider = create(connection);
  if (credentialCheck === undefined) return provider;
  return { ...provider, askServing: createAskServing(credentialCheck(connection), connection) };
}

/**
 * What the vendor's format can express, known without an account; of a model that has few words of
 * its own, with these.
 */
export function capabilitiesOf(kind: string, upstreamModel?: string): VendorCapabilities {
  const { capabilities, bounds } = vendorOf(kind);
  if (upstreamModel === undefined) return capabilities;
  const { format } = videoModelBounds(bounds, upstreamModel);
  return format === undefined || format === capabilities.format
    ? capabilities
    : { ...capabilities, format };
}

/**
 * What to ask a vendor to find out whether it takes the credential; undefined for a kind that is
 * none of video, and where every question costs something.
 */
export const credentialCheckOf = (kind: string, apiKey: string): CredentialCheck | undefined =>
  vendors.get(kind)?.credentialCheck?.({ apiKey });

/** The invisible mark that a kind of vendor says is in all its pictures; undefined for all others. */
export const watermarkOf = (kind: string): string | undefined => vendors.get(kind)?.watermark;
