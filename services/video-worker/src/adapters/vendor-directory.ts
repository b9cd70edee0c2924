import type { Configuration, ProviderSettings, Task, TaskVendor } from '@gateway/contracts';
import type { Paces } from '@gateway/limits';
import { createVideoProvider, type VideoProvider } from '@gateway/video-providers';
import type { Vendor } from '../use-cases/ports.ts';
import { measuredProvider } from './measured-provider.ts';
import type { Measures } from './measures.ts';
import { pacedProvider, takeTurn } from './paced-provider.ts';
import { tracedProvider } from './traced-provider.ts';

/** Providers as earlier versions of the configuration had them, by name and address: their tasks may still be running. */
export interface EarlierProviders {
  note(configuration: Configuration): void;
  find(vendor: TaskVendor): ProviderSettings | undefined;
}

/** Remembers as long as the process lives: a key that is in no file any more is nowhere else. */
export function createEarlierProviders(): EarlierProviders {
  const known = new Map<string, ProviderSettings>();
  return {
    note({ providers }) {
      for (const provider of providers.values()) known.set(addressOf(provider.name, provider.baseUrl), provider);
    },
    find: ({ provider, baseUrl }) => known.get(addressOf(provider, baseUrl)),
  };
}

export interface VendorDirectoryOptions {
  readonly timeoutMs: number;
  readonly paces: Paces;
  readonly earlier: EarlierProviders;
  readonly onCall: Measures['call'];
}

/**
 * The vendor a task belongs to, at the address stored with the task. Its key and pace are those that its provider has now;
 * those it had last where the provider was moved to another address or taken out while this process ran.
 * Throws when nothing is known of the provider: the task waits until it is back or its deadline passes.
 */
export function createVendorDirectory({ providers }: Configuration, { timeoutMs, paces, earlier, onCall }: VendorDirectoryOptions): (task: Task) => Vendor {
  const adapters = new Map<string, VideoProvider>();
  const settingsOf = (vendor: TaskVendor): ProviderSettings | undefined => {
    const now = providers.get(vendor.provider);
    return now?.baseUrl === vendor.baseUrl ? now : earlier.find(vendor) ?? now;
  };
  return ({ vendor }) => {
    const settings = settingsOf(vendor);
    if (settings === undefined) throw new Error(`the provider ${vendor.provider} is not in the configuration any more and its key is not known: put it back until its tasks have ended`);
    const pace = { paces, provider: vendor.provider, requestsPerSecond: settings.requestsPerSecond };
    const name = addressOf(vendor.provider, vendor.baseUrl);
    let provider = adapters.get(name);
    if (provider === undefined) {
      const spoken = createVideoProvider(vendor.kind, { baseUrl: vendor.baseUrl, apiKey: settings.apiKey, timeoutMs });
      provider = pacedProvider(measuredProvider(tracedProvider(spoken, vendor), { name: vendor.provider, onCall }), pace);
      adapters.set(name, provider);
    }
    return { provider, turnToCreate: () => takeTurn(pace, 'create'), requestsPerSecond: settings.requestsPerSecond, pace: settings.pace };
  };
}

const addressOf = (provider: string, baseUrl: string): string => `${provider} ${baseUrl}`;
