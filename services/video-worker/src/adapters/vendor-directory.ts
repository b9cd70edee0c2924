import type { Configuration, ProviderSettings, TaskVendor } from '@gateway/contracts';
import type { Pacers } from '@gateway/limits';
import { createVideoProvider, type VideoProvider } from '@gateway/video-providers';
import type { Vendor } from '../use-cases/ports.ts';
import { breakerNameOf } from './breaker-gate.ts';
import type { DriftWatch } from './drift-watch.ts';
import { measuredProvider } from './measured-provider.ts';
import type { WorkerMetrics } from './worker-metrics.ts';
import { pacedProvider, acquireListPermit, acquirePermit } from './paced-provider.ts';
import { tracedProvider } from './traced-provider.ts';

/**
 * Providers as earlier versions of the configuration had them, by name and address: their tasks may
 * still be running.
 */
export interface EarlierProviders {
  note(configuration: Configuration): void;
  find(vendor: Pick<TaskVendor, 'provider' | 'baseUrl'>): ProviderSettings | undefined;
}

/** Remembers as long as the process lives: a key that is in no file any more is nowhere else. */
export function createEarlierProviders(): EarlierProviders {
  const known = new Map<string, ProviderSettings>();
  return {
    note({ providers }) {
      for (const provider of providers.values()) {
        known.set(addressOf(provider.name, provider.baseUrl), provider);
      }
    },
    find: ({ provider, baseUrl }) => known.get(addressOf(provider, baseUrl)),
  };
}

export interface VendorDirectoryOptions {
  readonly timeoutMs: number;
  readonly pacers: Pacers;
  readonly earlier: EarlierProviders;
  readonly onCall: WorkerMetrics['call'];
  readonly drift: DriftWatch;
}

type VendorAddress = Pick<TaskVendor, 'provider' | 'kind' | 'baseUrl'>;

/** A vendor, and the name of the circuit breaker before it. */
interface GuardedVendor extends Vendor {
  readonly breaker: string;
}

export interface VendorDirectory {
  readonly of: (task: { readonly vendor: VendorAddress }) => GuardedVendor;
  /** A provider as it is configured; undefined when it is not. */
  readonly named: (
    provider: string,
  ) =>
    | { readonly vendor: Vendor; readonly baseUrl: string; readonly maxConcurrent: number }
    | undefined;
}

/**
 * The vendor a task belongs to, at the address stored with the task. Its key and rate are those that
 * its provider has now, or had last when the provider was moved to another address or removed while
 * this process ran. Throws when the provider is unknown: the task waits until it is back or its
 * deadline passes.
 */
export function createVendorDirectory(
  { providers }: Configuration,
  { timeoutMs, pacers, earlier, onCall, drift }: VendorDirectoryOptions,
): VendorDirectory {
  const adapters = new Map<string, VideoProvider>();
  for (const name of providers.keys()) drift.expect(name);
  const settingsOf = ({ provider, baseUrl }: VendorAddress): ProviderSettings | undefined => {
    const now = providers.get(provider);
    return now?.baseUrl === baseUrl ? now : (earlier.find({ provider, baseUrl }) ?? now);
  };
  const open = ({ provider: name, kind, baseUrl }: VendorAddress): GuardedVendor => {
    const settings = settingsOf({ provider: name, kind, baseUrl });
    if (settings === undefined) {
      throw new Error(
        `the provider ${name} is not in the configuration any more and its key is not known: put it back until its tasks have ended`,
      );
    }
    const pacer = { pacers, provider: name, requestsPerSecond: settings.requestsPerSecond };
    const address = addressOf(name, baseUrl);
    let provider = adapters.get(address);
    if (provider === undefined) {
      const spoken = createVideoProvider(kind, { baseUrl, apiKey: settings.apiKey, timeoutMs });
      provider = pacedProvider(
        measuredProvider(tracedProvider(spoken, { provider: name, kind, baseUrl }), {
          name,
          onCall,
          onDrift: drift.seen,
        }),
        pacer,
      );
      adapters.set(address, provider);
    }
    const { pollMany } = provider;
    return {
      provider,
      breaker: breakerNameOf({ name, baseUrl, apiKey: settings.apiKey }),
      permitToCreate: () => acquirePermit(pacer, 'create'),
      requestsPerSecond: settings.requestsPerSecond,
      pace: settings.pace,
      ...(pollMany !== undefined && {
        permitToPollMany: () => acquireListPermit(pacer, pollMany, 'poll'),
      }),
    };
  };
  return {
    of: ({ vendor }) => open(vendor),
    named(provider) {
      const now = providers.get(provider);
      return (
        now && {
          vendor: open({ provider, kind: now.kind, baseUrl: now.baseUrl }),
          baseUrl: now.baseUrl,
          maxConcurrent: now.maxConcurrent,
        }
      );
    },
  };
}

const addressOf = (provider: string, baseUrl: string): string => `${provider} ${baseUrl}`;
