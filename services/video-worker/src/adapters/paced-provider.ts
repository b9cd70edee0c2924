import { setTimeout as delay } from 'node:timers/promises';
import type { PacerLimit, Pacers } from '@gateway/limits';
import type { PollMany, VideoProvider } from '@gateway/video-providers';
import type { Permit } from '../use-cases/ports.ts';

export interface VendorPacer {
  readonly pacers: Pacers;
  readonly provider: string;
  readonly requestsPerSecond: number;
}

/**
 * How far ahead a call may book. A poll books nearly nothing ahead, so a create waits at most that
 * long behind polls.
 */
const horizonMs = { create: 2_000, poll: 100 } as const;

/**
 * Waits for the vendor's request rate, which all replicas share. Not granted: ask again after
 * `afterMs`.
 */
export const acquirePermit = (
  { pacers, provider, requestsPerSecond }: VendorPacer,
  kind: keyof typeof horizonMs,
): Promise<Permit> =>
  book(pacers, `vendor:${provider}`, { perSecond: requestsPerSecond, horizonMs: horizonMs[kind] });

/**
 * The same for a list with a rate of its own: looking up a lost submission goes before batch polls.
 */
export const acquireListPermit = (
  { pacers, provider }: VendorPacer,
  { perSecond }: PollMany,
  kind: 'find' | 'poll',
): Promise<Permit> =>
  book(pacers, `vendor-list:${provider}`, {
    perSecond,
    horizonMs: horizonMs[kind === 'find' ? 'create' : 'poll'],
  });

async function book(pacers: Pacers, subject: string, limit: PacerLimit): Promise<Permit> {
  const permit = await pacers.take(subject, limit);
  if (!permit.granted) return { granted: false, afterMs: permit.waitMs };
  if (permit.waitMs > 0) await delay(permit.waitMs);
  return { granted: true };
}

/**
 * A provider whose polls, listings and cancellations keep to the rate. `submit` takes its permit
 * before the intent is committed, and so does whoever calls `pollMany`.
 */
export function pacedProvider(provider: VideoProvider, pacer: VendorPacer): VideoProvider {
  const { find, fileHeaders, pollMany, askServing, readFile } = provider;
  return {
    capabilities: provider.capabilities,
    submit: provider.submit,
    ...(fileHeaders !== undefined && { fileHeaders }),
    ...(pollMany !== undefined && { pollMany }),
    async poll(vendorTaskId, signal) {
      const permit = await acquirePermit(pacer, 'poll');
      return permit.granted
        ? provider.poll(vendorTaskId, signal)
        : {
            kind: 'error',
            detail: 'put off for the vendor’s request rate',
            retryAfterMs: permit.afterMs,
          };
    },
    ...(readFile !== undefined && {
      async readFile(vendorTaskId, signal) {
        const permit = await acquirePermit(pacer, 'create');
        return permit.granted
          ? readFile(vendorTaskId, signal)
          : { kind: 'error', detail: 'put off for the vendor’s request rate' };
      },
    }),
    ...(find !== undefined && {
      async find(query, signal) {
        const permit = await (pollMany === undefined
          ? acquirePermit(pacer, 'poll')
          : acquireListPermit(pacer, pollMany, 'find'));
        return permit.granted
          ? find(query, signal)
          : {
              kind: 'error',
              detail: 'put off for the vendor’s request rate',
              retryAfterMs: permit.afterMs,
            };
      },
    }),
    ...(askServing !== undefined && {
      async askServing(signal) {
        await acquirePermit(pacer, 'create');
        return askServing(signal);
      },
    }),
    async cancel(vendorTaskId, signal) {
      // Nobody repeats it: it goes out in any case, if late.
      await acquirePermit(pacer, 'create');
      return provider.cancel(vendorTaskId, signal);
    },
  };
}
