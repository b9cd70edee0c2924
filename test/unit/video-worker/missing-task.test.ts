import { describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import type { TaskChanges } from '@gateway/store';
import type { PollOutcome, VideoProvider } from '@gateway/video-providers';
import { createPollTask } from '../../../services/video-worker/src/use-cases/poll-task.ts';
import type { Moves, Vendor } from '../../../services/video-worker/src/use-cases/ports.ts';
import { aTask } from '../contracts/samples.ts';

const startedAt = new Date('2026-01-01T10:00:00Z');
const hourMs = 3_600_000;

/**
 * Looks again and again at a task that has been running for `ageMs`; returns after how long it was
 * given up, in ms.
 */
async function givenUpAfter(
  responses: (look: number) => PollOutcome,
  { ageMs, random }: { ageMs: number; random: number },
): Promise<number | undefined> {
  const first = startedAt.getTime() + ageMs;
  let now = first;
  let task: Task = aTask({
    status: 'running',
    step: 'poll',
    startedAt,
    vendor: { ...aTask().vendor, taskId: 'vendor-1' },
    stepFailures: 0,
  });
  const seen = { failed: false };
  const moves = {
    stay: (_task: Task, { stepFailures = 0 }: TaskChanges) => {
      task = { ...task, stepFailures };
      return Promise.resolve(task);
    },
    move: () => {
      seen.failed = true;
      return Promise.resolve(task);
    },
  } as unknown as Moves;
  let looks = 0;
  const provider = {
    poll: () => Promise.resolve(responses((looks += 1))),
  } as unknown as VideoProvider;
  const vendorOf = (): Vendor => ({
    provider,
    permitToCreate: () => Promise.resolve({ granted: true }),
    requestsPerSecond: 10,
    pace: { firstSeconds: 1, maxSeconds: 2 },
  });
  const poll = createPollTask({
    leaveRoute: () => Promise.resolve(false),
    vendorOf,
    moves,
    clock: { now: () => now, random: () => random },
    liveTasks: () => Promise.resolve(1),
    usualMs: () => Promise.resolve(undefined),
  });
  while (looks < 40) {
    const outcome = await poll(task, new AbortController().signal);
    if (seen.failed) return now - first;
    if (outcome.kind === 'wait') now += outcome.afterMs;
  }
  return undefined;
}

const missing: PollOutcome = { kind: 'missing', detail: 'returned 404' };
const pending: PollOutcome = { kind: 'pending', vendorStatus: 'running' };

describe('a task that its vendor says it does not know', () => {
  it.each([
    [0, 0],
    [0, 1],
    [hourMs, 0],
    [hourMs, 1],
  ])(
    'is given up when that lasts for about a minute, at an age of %d ms (jitter %d)',
    async (ageMs, random) => {
      const afterMs = await givenUpAfter(() => missing, { ageMs, random });

      expect(afterMs).toBeGreaterThan(45_000);
      expect(afterMs).toBeLessThan(90_000);
    },
  );

  it('is not given up when the vendor knows it again in between', async () => {
    expect(
      await givenUpAfter((look) => (look % 6 === 0 ? pending : missing), {
        ageMs: hourMs,
        random: 0.5,
      }),
    ).toBeUndefined();
  });
});
