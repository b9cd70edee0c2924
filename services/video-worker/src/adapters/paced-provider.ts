import { setTimeout as delay } from 'node:timers/promises';
import type { Pace, Paces } from '@gateway/limits';
import type { PollMany, VideoProvider } from '@gateway/video-providers';
import type { Turn } from '../use-cases/ports.ts';

export interface PaceOfVendor {
  readonly paces: Paces;
  readonly provider: string;
  readonly requestsPerSecond: number;
}

/**
 * How far ahead a call may book. A look books nearly nothing ahead, so a create never waits behind
 * more than that of looks.
 */
const horizonMs = { create: 2_000, look: 100 } as const;

/**
 * Waits for the vendor's request rate, which all replicas share. Not granted: ask again after so
 * many ms.
 */
export const takeTurn = (
  { paces, provider, requestsPerSecond }: PaceOfVendor,
  kind: keyof typeof horizonMs,
): Promise<Turn> =>
  book(paces, `vendor:${provider}`, { perSecond: requestsPerSecond, horizonMs: horizonMs[kind] });

/**
 * The same for a list with a rate of its own: who looks a lost submission up goes before the looks
 * at many tasks.
 */
export const takeListTurn = (
  { paces, provider }: PaceOfVendor,
  { perSecond }: PollMany,
  kind: 'find' | 'look',
): Promise<Turn> =>
  book(paces, `vendor-list:${provider}`, {
    perSecond,
    horizonMs: horizonMs[kind === 'find' ? 'create' : 'look'],
  });

async function book(paces: Paces, subject: string, pace: Pace): Promise<Turn> {
  const turn = await paces.take(subject, pace);
  if (!turn.granted) return { granted: false, afterMs: turn.waitMs };
  if (turn.waitMs > 0) await delay(turn.waitMs);
  return { granted: true };
}

/**
 * A provider whose looks, listings and cancellations keep to the rate. `submit` takes its turn
 * before the intent is committed, and who calls `pollMany` takes it too.
 */
export function pacedProvider(provider: VideoProvider, pace: PaceOfVendor): VideoProvider {
  const { find, fileHeaders, pollMany } = provider;
  return {
    capabilities: provider.capabilities,
    submit: provider.submit,
    ...(fileHeaders !== undefined && { fileHeaders }),
    ...(pollMany !== undefined && { pollMany }),
    async poll(vendorTaskId, signal) {
      const turn = await takeTurn(pace, 'look');
      return turn.granted
        ? provider.poll(vendorTaskId, signal)
        : {
            kind: 'error',
            detail: 'put off for the vendor’s request rate',
            retryAfterMs: turn.afterMs,
          };
    },
    ...(find !== undefined && {
      async find(query, signal) {
        const turn = await (pollMany === undefined
          ? takeTurn(pace, 'look')
          : takeListTurn(pace, pollMany, 'find'));
        return turn.granted
          ? find(query, signal)
          : {
              kind: 'error',
              detail: 'put off for the vendor’s request rate',
              retryAfterMs: turn.afterMs,
            };
      },
    }),
    async cancel(vendorTaskId, signal) {
      // Nobody asks for it again: it goes out in any case, if late.
      await takeTurn(pace, 'create');
      return provider.cancel(vendorTaskId, signal);
    },
  };
}
