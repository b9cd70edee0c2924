import { createHash } from 'node:crypto';
import type {
  Configuration,
  DeliveryQuestion,
  TaskVendor,
  VendorCapabilities,
  VideoModel,
} from '@gateway/contracts';
import { canBeFetchedBy } from '@gateway/outbound';
import { capabilitiesOf } from '@gateway/video-providers';

/** What a version of the configuration says of the vendors of its models. */
export interface ConfiguredVendors {
  capabilitiesOf(model: VideoModel): VendorCapabilities;
  /** What a new task keeps of its vendor. */
  vendorOf(model: VideoModel): TaskVendor;
  /** What the vendor takes, and whether it can fetch files from us. */
  deliveryTo(model: VideoModel): DeliveryQuestion;
  /** How many tasks the provider takes at the same time. */
  maxConcurrent(provider: string): number;
}

/** `publicBaseUrl`: where vendors would fetch files from. */
export function createConfiguredVendors(
  { providers }: Pick<Configuration, 'providers'>,
  publicBaseUrl: string,
): ConfiguredVendors {
  const providerOf = (model: VideoModel) => {
    const provider = providers.get(model.provider);
    if (provider === undefined) {
      throw new Error(
        `model ${model.name} names the provider ${model.provider}, which is not configured`,
      );
    }
    return provider;
  };
  return {
    capabilitiesOf: (model) => capabilitiesOf(providerOf(model).kind),
    vendorOf(model) {
      const { name, kind, baseUrl, apiKey } = providerOf(model);
      return {
        provider: name,
        kind,
        baseUrl,
        credentialId: credentialIdOf(apiKey),
        upstreamModel: model.upstreamModel,
        taskId: null,
      };
    },
    deliveryTo(model) {
      const { kind, baseUrl } = providerOf(model);
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
