import { describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import type { FindOutcome, PollOutcome, VideoProvider } from '@gateway/video-providers';
import { createWatchLate } from '../../../services/video-worker/src/use-cases/watch-late.ts';
import {
  moved,
  over,
  wait,
  type Moves,
  type Vendor,
} from '../../../services/video-worker/src/use-cases/ports.ts';
import { aTask } from '../contracts/samples.ts';

const task = aTask({
  status: 'expired',
  step: 'late',
  vendor: { ...aTask().vendor, taskId: 'vendor-1' },
});
const unresolved: Task = { ...task, vendor: { ...task.vendor, taskId: null } };
const deadline = task.expiresAt.getTime();

interface Vendors {
  readonly poll?: PollOutcome;
  readonly find?: FindOutcome;
}

interface Watched {
  readonly task?: Task;
  readonly afterMs?: number;
}

/** One round of the watch over an expired task, `afterMs` after its deadline, and what it did. */
async function watchOnce(
  { poll, find }: Vendors,
  { task: watched = task, afterMs = 1_000 }: Watched = {},
): Promise<{ outcome: unknown; calls: string[] }> {
  const calls: string[] = [];
  const noted = (call: string): Promise<void> => {
    calls.push(call);
    return Promise.resolve();
  };
  const moves = {
    closeLate: () => noted('close'),
    stay: (_task: unknown, { vendorTaskId, stepFailures }: Record<string, unknown>) =>
      noted(`stay ${JSON.stringify(vendorTaskId ?? stepFailures)}`),
    recordExposure: (_task: unknown, { kind, detail }: { kind: string; detail: string }) =>
      noted(`note ${kind}: ${detail}`),
  } as unknown as Moves;
  const provider = {
    poll: () => noted('poll').then(() => poll),
    find: () => noted('find').then(() => find),
  } as unknown as VideoProvider;
  const vendorOf = (): Vendor => ({
    provider,
    permitToCreate: () => Promise.resolve({ granted: true }),
    requestsPerSecond: 10,
    pace: { firstSeconds: 1, maxSeconds: 2 },
  });
  const watch = createWatchLate({
    vendorOf,
    moves,
    clock: { now: () => deadline + afterMs, random: () => 0.5 },
    lateWatchMs: 60_000,
    lateEveryMs: 10_000,
  });
  return { outcome: await watch(watched, new AbortController().signal), calls };
}

const pending: PollOutcome = { kind: 'pending', vendorStatus: 'running' };
const away: PollOutcome = { kind: 'error', detail: '502' };
const gone: PollOutcome = { kind: 'missing', detail: '404' };

describe('an expired task that its vendor may still finish', () => {
  it.each<[string, PollOutcome]>([
    ['is still at work', pending],
    ['responds with an error', away],
  ])('is watched on when the vendor %s', async (_what, poll) => {
    expect(await watchOnce({ poll })).toEqual({ outcome: wait(10_000), calls: ['poll'] });
  });

  it.each<[string, PollOutcome, string]>([
    [
      'finishes it after all',
      {
        kind: 'succeeded',
        output: { videoUrl: 'https://vendor.example/x.mp4', seconds: 5, totalTokens: 900 },
      },
      'note late_success: the vendor finished after the deadline, 5 s, 900 tokens',
    ],
    [
      'finishes it without a file',
      { kind: 'failed', failure: 'no_output', detail: '' },
      'note late_success: the vendor finished after the deadline',
    ],
    [
      'charges for a failure',
      { kind: 'failed', failure: 'content_policy', detail: '', usage: { totalTokens: 70 } },
      'note late_success: the vendor finished after the deadline, 70 tokens',
    ],
  ])('is the exposure of the operator when the vendor %s', async (_what, poll, noted) => {
    expect(await watchOnce({ poll })).toEqual({ outcome: over, calls: ['poll', noted, 'close'] });
  });

  it.each([
    ['says nothing of a charge', undefined],
    ['charges nothing', { cost: { amount: '0', currency: 'USD' } }],
  ])('is left alone when it failed there and the vendor %s', async (_what, usage) => {
    expect(
      await watchOnce({
        poll: { kind: 'failed', failure: 'vendor_error', detail: '', ...(usage && { usage }) },
      }),
    ).toEqual({ outcome: over, calls: ['poll', 'close'] });
  });

  it('is over when the vendor does not know it any more, and not when it forgets it for a moment', async () => {
    expect(await watchOnce({ poll: gone })).toEqual({
      outcome: wait(1_000),
      calls: ['poll', 'stay 1'],
    });
    expect(await watchOnce({ poll: gone }, { task: { ...task, stepFailures: 6 } })).toEqual({
      outcome: over,
      calls: ['poll', 'close'],
    });
  });

  it.each<[string, PollOutcome, string[]]>([
    ['does not know it', gone, []],
    [
      'is still at work',
      pending,
      ['note watch_ended: the vendor was still at work when the watch ended'],
    ],
  ])('is polled once more at the end of the watch: the vendor %s', async (_what, poll, noted) => {
    expect(await watchOnce({ poll }, { afterMs: 60_000 })).toEqual({
      outcome: over,
      calls: ['poll', ...noted, 'close'],
    });
  });

  it('is watched beyond that while the vendor gives no answer, to a final limit', async () => {
    expect(await watchOnce({ poll: away }, { afterMs: 119_999 })).toEqual({
      outcome: wait(10_000),
      calls: ['poll'],
    });
    expect(await watchOnce({ poll: away }, { afterMs: 120_000 })).toEqual({
      outcome: over,
      calls: ['note watch_ended: the vendor gave no answer until the watch ended', 'close'],
    });
  });
});

describe('an expired task whose submission was never resolved', () => {
  it.each<[string, FindOutcome, object]>([
    [
      'is watched when the vendor has it',
      { kind: 'found', vendorTaskId: 'vendor-9' },
      { outcome: moved, calls: ['find', 'stay "vendor-9"'] },
    ],
    [
      'is looked up again when the vendor gives no answer',
      { kind: 'error', detail: '502' },
      { outcome: wait(10_000), calls: ['find'] },
    ],
    [
      'is exposure when the vendor does not list it',
      { kind: 'none' },
      {
        outcome: over,
        calls: [
          'find',
          'note submission_unknown: the deadline passed before the submission was resolved',
          'close',
        ],
      },
    ],
    [
      'is exposure when the vendor took so many at that time that nobody can say',
      { kind: 'out_of_reach', detail: 'not among the 2000 tasks that were read' },
      {
        outcome: over,
        calls: [
          'find',
          'note submission_unknown: the deadline passed before the submission was resolved',
          'close',
        ],
      },
    ],
  ])('%s', async (_what, find, expected) => {
    expect(await watchOnce({ find }, { task: unresolved })).toEqual(expected);
  });
});
