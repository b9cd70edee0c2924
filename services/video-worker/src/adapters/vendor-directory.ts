import type { Configuration, Task } from '@gateway/contracts';
import type { Paces } from '@gateway/limits';
import { createVideoProvider, type VideoProvider } from '@gateway/video-providers';
import type { Vendor } from '../use-cases/ports.ts';
import { pacedProvider, takeTurn } from './paced-provider.ts';

/**
 * The vendor a task belongs to, at the address stored with the task and with the key its provider has now.
 * Throws when the provider was taken out of the configuration: the task waits until it is back or its deadline passes.
 */
export function createVendorDirectory({ providers }: Configuration, { timeoutMs, paces }: { timeoutMs: number; paces: Paces }): (task: Task) => Vendor {
  const adapters = new Map<string, VideoProvider>();
  return ({ vendor }) => {
    const settings = providers.get(vendor.provider);
    if (settings === undefined) throw new Error(`the provider ${vendor.provider} is not in the configuration any more`);
    const pace = { paces, provider: vendor.provider, requestsPerSecond: settings.requestsPerSecond };
    const name = `${vendor.provider} ${vendor.baseUrl}`;
    let provider = adapters.get(name);
    if (provider === undefined) {
      provider = pacedProvider(createVideoProvider(vendor.kind, { baseUrl: vendor.baseUrl, apiKey: settings.apiKey, timeoutMs }), pace);
      adapters.set(name, provider);
    }
    return { provider, turnToCreate: () => takeTurn(pace, 'create'), requestsPerSecond: settings.requestsPerSecond, pace: settings.pace };
  };
}
