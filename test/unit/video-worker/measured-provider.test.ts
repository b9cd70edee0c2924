import { describe, expect, it } from '@jest/globals';
import type { PollOutcome, VideoProvider } from '@gateway/video-providers';
import { measuredProvider } from '../../../services/video-worker/src/adapters/measured-provider.ts';
import type { VendorCall } from '../../../services/video-worker/src/adapters/worker-metrics.ts';

const signal = new AbortController().signal;
const submission = {} as Parameters<VideoProvider['submit']>[0];

function aProvider(overrides: Partial<VideoProvider> = {}) {
  const calls: VendorCall[] = [];
  const drifts: unknown[] = [];
  const provider: VideoProvider = {
    capabilities: {} as VideoProvider['capabilities'],
    submit: () => Promise.resolve({ kind: 'busy', detail: 'full', retryAfterMs: 7 }),
    poll: () => Promise.resolve({ kind: 'pending', vendorStatus: 'running' }),
    cancel: () => Promise.resolve({ kind: 'cancelled' }),
    ...overrides,
  };
  return {
    calls,
    drifts,
    provider: measuredProvider(provider, {
      name: 'vendor',
      onCall: (call) => {
        calls.push(call);
      },
      onDrift: (...drift) => {
        drifts.push(drift);
      },
    }),
  };
}

describe('a provider whose calls are measured', () => {
  it('returns what the provider does, and tells each call with how it ended', async () => {
    const { calls, provider } = aProvider({
      find: () => Promise.resolve({ kind: 'none' }),
      pollMany: {
        maxIds: 5,
        perSecond: 2,
        poll: (ids) =>
          Promise.resolve({ kind: 'answered', asked: ids.length, outcomes: new Map() }),
      },
    });

    expect(await provider.submit(submission, signal)).toEqual({
      kind: 'busy',
      detail: 'full',
      retryAfterMs: 7,
    });
    expect(await provider.poll('x', signal)).toEqual({ kind: 'pending', vendorStatus: 'running' });
    expect(await provider.find?.({ correlation: 'x', since: new Date(0) }, signal)).toEqual({
      kind: 'none',
    });
    expect(await provider.pollMany?.poll(['x', 'y'], signal)).toEqual({
      kind: 'answered',
      asked: 2,
      outcomes: new Map(),
    });
    expect(provider.pollMany).toMatchObject({ maxIds: 5, perSecond: 2 });
    expect(await provider.cancel('x', signal)).toEqual({ kind: 'cancelled' });

    expect(calls).toEqual(
      [
        ['submit', 'busy'],
        ['poll', 'pending'],
        ['find', 'none'],
        ['poll_many', 'answered'],
        ['cancel', 'cancelled'],
      ].map(([operation, outcome]) => ({
        provider: 'vendor',
        operation,
        outcome,
        seconds: expect.any(Number),
      })),
    );
  });

  it('tells what in a response nobody knows, of a list once', async () => {
    const drift = (example: string) => ({ kind: 'status', example }) as const;
    const pending = { kind: 'pending', vendorStatus: 'x' } as const;
    const { drifts, provider } = aProvider({
      poll: () => Promise.resolve({ ...pending, drift: drift('dreaming') }),
      pollMany: {
        maxIds: 5,
        perSecond: 2,
        poll: () =>
          Promise.resolve({
            kind: 'answered',
            asked: 3,
            outcomes: new Map<string, PollOutcome>([
              ['a', pending],
              ['b', { ...pending, drift: drift('first') }],
              ['c', { ...pending, drift: drift('second') }],
            ]),
          }),
      },
    });

    await provider.poll('x', signal);
    await provider.pollMany?.poll(['a', 'b', 'c'], signal);
    await provider.submit(submission, signal);

    expect(drifts).toEqual([
      ['vendor', drift('dreaming')],
      ['vendor', drift('first')],
    ]);
  });

  it('has no find, no looks at many and no file headers where the provider has none, and keeps those it has', () => {
    const fileHeaders = { authorization: 'Bearer key' };

    expect(
      Object.keys(aProvider().provider).filter((name) =>
        ['find', 'pollMany', 'fileHeaders', 'readFile'].includes(name),
      ),
    ).toEqual([]);
    expect(aProvider({ fileHeaders }).provider.fileHeaders).toBe(fileHeaders);
  });
});
