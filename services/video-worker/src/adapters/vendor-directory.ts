import type { Configuration, Task } from '@gateway/contracts';
import { createVideoProvider, type VideoProvider } from '@gateway/video-providers';
import type { Vendor } from '../use-cases/ports.ts';

/**
 * The vendor a task belongs to, at the address stored with the task and with the key its provider has now.
 * Throws when the provider was taken out of the configuration: the task waits until it is back or its deadline passes.
 */
export function createVendorDirectory({ providers }: Configuration, { timeoutMs }: { timeoutMs: number }): (task: Task) => Vendor {
  const adapters = new Map<string, VideoProvider>();
  return ({ vendor }) => {
    const settings = providers.get(vendor.provider);
    if (settings === undefined) throw new Error(`the provider ${vendor.provider} is not in the configuration any more`);
    const name = `${vendor.provider} ${vendor.baseUrl}`;
    let provider = adapters.get(name);
    if (provider === undefined) {
      provider = createVideoProvider(vendor.kind, { baseUrl: vendor.baseUrl, apiKey: settings.apiKey, timeoutMs });
      adapters.set(name, provider);
    }
    return { provider, maxConcurrent: settings.maxConcurrent, requestsPerSecond: settings.requestsPerSecond, pace: settings.pace };
  };
}
