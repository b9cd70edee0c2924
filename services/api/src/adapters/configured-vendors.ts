import { createHash } from 'node:crypto';
import type {
  Configuration,
  DeliveryQuestion,
  TaskVendor,
  VendorCapabilities,
  VideoRoute,
} from '@gateway/contracts';
import { canBeFetchedBy } from '@gateway/outbound';
import { capabilitiesOf } from '@gateway/video-providers';

/** What a version of the configuration says of the vendors behind routes. */
export interface ConfiguredVendors {
  capabilitiesOf(route: VideoRoute): VendorCapabilities;
  /** What a new task keeps of its vendor. */
  vendorOf(route: VideoRoute): TaskVendor;
  /** What the vendor takes, and whether it can fetch files from us. */
  deliveryTo(route: VideoRoute): DeliveryQuestion;
  /** How many tasks the provider takes at the same time. */
  maxConcurrent(provider: string): number;
}

/** `publicBaseUrl`: where vendors would fetch files from. */
export function createConfiguredVendors(
  { providers }: Pick<Configuration, 'providers'>,
  publicBaseUrl: string,
): ConfiguredVendors {
  const providerOf = (route: VideoRoute) => {
    const provider = providers.get(route.provider);
    if (provider === undefined) {
      throw new Error(
        `the route ${route.name} names the provider ${route.provider}, which is not configured`,
      );
    }
    return provider;
  };
  return {
    capabilitiesOf: (route) => capabilitiesOf(providerOf(route).kind, route.upstreamModel),
    vendorOf(route) {
      const { name, kind, baseUrl, apiKey } = providerOf(route);
      return {
        provider: name,
        kind,
        baseUrl,
        credentialId: credentialIdOf(apiKey),
        upstreamModel: route.upstreamModel,
        taskId: null,
      };
    },
    deliveryTo(route) {
      const { kind, baseUrl } = providerOf(route);
      return {
        capabilities: capabilitiesOf(kind),
        canFetch: canBeFetchedBy(baseUrl, publicBaseUrl),
      };
    },
    maxConcurrent: (provider) => providers.get(provider)?.maxConcurrent ?? Infinity,
  };
}

/** Tells credentials apart without telling any. */
const credentialIdOf = (apiKey: string): string =>
  createHash('sha256').update(apiKey).digest('hex').slice(0, 12);
