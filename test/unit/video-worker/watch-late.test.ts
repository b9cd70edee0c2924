import { describe, expect, it } from '@jest/globals';
import type { PollOutcome, VideoProvider } from '@gateway/video-providers';
import { createWatchLate } from '../../../services/video-worker/src/use-cases/expire-task.ts';
import {
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
const deadline = task.expiresAt.getTime();

/** One look at an expired task, `afterMs` after its deadline, and what it led to. */
async function lookAt(
  poll: PollOutcome,
  afterMs = 1_000,
): Promise<{ outcome: unknown; calls: string[] }> {
  const calls: string[] = [];
  const moves = {
    closeLate: () => {
      calls.push('close');
      return Promise.resolve();
    },
    recordExposure: (_task: unknown, { kind }: { kind: string }) => {
      calls.push(`note ${kind}`);
      return Promise.resolve();
    },
  } as unknown as Moves;
  const provider = { poll: () => Promise.resolve(poll) } as unknown as VideoProvider;
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
  return { outcome: await watch(task, new AbortController().signal), calls };
}

describe('an expired task that its vendor may still finish', () => {
  it.each<[string, PollOutcome]>([
    ['is still at work', { kind: 'pending', vendorStatus: 'running' }],
    ['answers with an error', { kind: 'error', detail: '502' }],
    ['does not know it for a moment', { kind: 'missing', detail: '404' }],
  ])('is watched on when the vendor %s', async (_what, poll) => {
    expect(await lookAt(poll)).toEqual({ outcome: wait(10_000), calls: [] });
  });

  it('is the exposure of the operator when the vendor finishes it after all', async () => {
    expect(
      await lookAt({ kind: 'succeeded', output: { videoUrl: 'https://vendor.example/x.mp4' } }),
    ).toEqual({ outcome: over, calls: ['note late_success', 'close'] });
  });

  it('is left alone when it failed there', async () => {
    expect(await lookAt({ kind: 'failed', failure: 'vendor_error', detail: '' })).toEqual({
      outcome: over,
      calls: ['close'],
    });
  });

  it('is left alone when the time to watch it is over', async () => {
    expect(await lookAt({ kind: 'missing', detail: '404' }, 60_000)).toEqual({
      outcome: over,
      calls: ['close'],
    });
  });
});
