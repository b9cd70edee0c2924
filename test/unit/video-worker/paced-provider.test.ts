import { describe, expect, it } from '@jest/globals';
import type { PacerLimit, PacerPermit } from '@gateway/limits';
import type { VideoProvider } from '@gateway/video-providers';
import {
  pacedProvider,
  acquireListPermit,
} from '../../../services/video-worker/src/adapters/paced-provider.ts';

const signal = new AbortController().signal;
const query = { correlation: 'x', since: new Date(0) };
const pollMany: VideoProvider['pollMany'] = {
  maxIds: 5,
  perSecond: 2,
  poll: (ids) => Promise.resolve({ kind: 'answered', asked: ids.length, outcomes: new Map() }),
};

/** A provider before a pace that grants everything, or nothing for 700 ms. */
function aPacedProvider({
  decision = { granted: true, waitMs: 0 },
  overrides = {},
}: { decision?: PacerPermit; overrides?: Partial<VideoProvider> } = {}) {
  const taken: (PacerLimit & { subject: string })[] = [];
  const provider: VideoProvider = {
    capabilities: {} as VideoProvider['capabilities'],
    submit: () => Promise.resolve({ kind: 'busy', detail: 'full' }),
    poll: () => Promise.resolve({ kind: 'pending', vendorStatus: 'running' }),
    find: () => Promise.resolve({ kind: 'none' }),
    cancel: () => Promise.resolve({ kind: 'cancelled' }),
    ...overrides,
  };
  const pace = {
    provider: 'studio',
    requestsPerSecond: 20,
    pacers: {
      take: (subject: string, asked: PacerLimit) => {
        taken.push({ subject, ...asked });
        return Promise.resolve(decision);
      },
    },
  };
  return { taken, pace, provider: pacedProvider(provider, pace) };
}

describe('a provider that keeps to the rates of its vendor', () => {
  it('looks submissions up at the rate of all requests where the vendor has no other for its list', async () => {
    const { provider, taken } = aPacedProvider();

    expect(await provider.find?.(query, signal)).toEqual({ kind: 'none' });
    expect(taken).toEqual([{ subject: 'vendor:studio', perSecond: 20, horizonMs: 100 }]);
  });

  it('looks them up at the rate of the list where it has one, before looks at many', async () => {
    const { provider, taken, pace } = aPacedProvider({ overrides: { pollMany } });

    await provider.find?.(query, signal);
    expect(await acquireListPermit(pace, pollMany, 'poll')).toEqual({ granted: true });

    expect(taken).toEqual([
      { subject: 'vendor-list:studio', perSecond: 2, horizonMs: 2_000 },
      { subject: 'vendor-list:studio', perSecond: 2, horizonMs: 100 },
    ]);
  });

  it('puts a look off when the rate is used up, and says for how long', async () => {
    const decision: PacerPermit = { granted: false, waitMs: 700 };
    const { provider, pace } = aPacedProvider({ decision, overrides: { pollMany } });

    expect(await provider.poll('x', signal)).toMatchObject({ kind: 'error', retryAfterMs: 700 });
    expect(await provider.find?.(query, signal)).toMatchObject({
      kind: 'error',
      retryAfterMs: 700,
    });
    expect(await acquireListPermit(pace, pollMany, 'poll')).toEqual({
      granted: false,
      afterMs: 700,
    });
  });

  it('leaves the turn of a look at many to its caller, and has none where the vendor has no list', async () => {
    const { provider, taken } = aPacedProvider({ overrides: { pollMany } });

    expect(await provider.pollMany?.poll(['a', 'b'], signal)).toEqual({
      kind: 'answered',
      asked: 2,
      outcomes: new Map(),
    });
    expect(taken).toEqual([]);
    expect(aPacedProvider().provider.pollMany).toBeUndefined();
  });
});
