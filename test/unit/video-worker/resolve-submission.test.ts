import { describe, expect, it } from '@jest/globals';
import type { FindOutcome, VideoProvider } from '@gateway/video-providers';
import {
  createResolveSubmission,
  type SubmitTaskPorts,
} from '../../../services/video-worker/src/use-cases/submit-task.ts';
import { moved, wait } from '../../../services/video-worker/src/use-cases/ports.ts';
import { aTask } from '../contracts/samples.ts';

const task = aTask({
  status: 'queued',
  step: 'submitting',
  submittingAt: new Date('2026-11-26T12:00:00Z'),
});
const unknownAfterMs = 60_000;

/** One look-up, so long after the submission, and what it did. */
async function resolveOnce(
  find: FindOutcome,
  afterMs: number,
): Promise<{ outcome: unknown; calls: string[] }> {
  const calls: string[] = [];
  const noted = (call: string): Promise<void> => {
    calls.push(call);
    return Promise.resolve();
  };
  const provider = { find: () => Promise.resolve(find) } as unknown as VideoProvider;
  const ports = {
    vendorOf: () => ({ provider }),
    gate: { inquire: () => noted('inquire') },
    moves: {
      recordExposure: (_task: unknown, { kind, detail }: { kind: string; detail: string }) =>
        noted(`note ${kind}: ${detail}`),
      move: (_task: unknown, to: string) => noted(`move to ${to}`),
    },
    clock: { now: () => task.submittingAt!.getTime() + afterMs, random: () => 0.5 },
    unknownAfterMs,
  } as unknown as SubmitTaskPorts;
  const outcome = await createResolveSubmission(ports)(task, new AbortController().signal);
  return { outcome, calls };
}

const beyond = {
  kind: 'out_of_reach',
  detail: 'not among the 2000 tasks that were read, and there are more of that time',
} as const;

describe('a submission whose response was lost', () => {
  it.each<[string, FindOutcome]>([
    ['its vendor does not list it', { kind: 'none' }],
    ['its vendor took so many at that time that nobody can say', beyond],
    ['the list cannot be read', { kind: 'error', detail: '502' }],
  ])('is looked up again soon while %s', async (_what, find) => {
    const { outcome, calls } = await resolveOnce(find, unknownAfterMs - 1);

    expect(outcome).toMatchObject(wait(expect.any(Number) as unknown as number));
    expect(calls).toEqual(find.kind === 'error' ? ['inquire'] : []);
  });

  it.each<[string, FindOutcome, string]>([
    ['its vendor does not list it', { kind: 'none' }, 'not found at the vendor'],
    ['its vendor took so many at that time that nobody can say', beyond, beyond.detail],
  ])('is given up after its time, as exposure, when %s', async (_what, find, why) => {
    expect(await resolveOnce(find, unknownAfterMs)).toEqual({
      outcome: moved,
      calls: [`note submission_unknown: no clear response, and ${why}`, 'move to failed'],
    });
  });

  it('is never given up on while the list cannot be read', async () => {
    const { calls } = await resolveOnce({ kind: 'error', detail: '502' }, 100 * unknownAfterMs);

    expect(calls).toEqual(['inquire']);
  });
});
