import { describe, expect, it } from '@jest/globals';
import type { Task, VendorOutput } from '@gateway/contracts';
import type { PollOutcome, VideoProvider } from '@gateway/video-providers';
import { createExpireTask } from '../../../services/video-worker/src/use-cases/expire-task.ts';
import {
  createIngestTask,
  type CopyOutcome,
} from '../../../services/video-worker/src/use-cases/ingest-task.ts';
import {
  moved,
  wait,
  type Moves,
  type Vendor,
} from '../../../services/video-worker/src/use-cases/ports.ts';
import { aTask } from '../contracts/samples.ts';

const output: VendorOutput = { videoUrl: 'https://vendor.example/x.mp4' };
const fresh: VendorOutput = { videoUrl: 'https://vendor.example/fresh.mp4' };
const rendering = aTask({
  status: 'running',
  step: 'poll',
  vendor: { ...aTask().vendor, taskId: 'vendor-1' },
});
const finished: Task = { ...rendering, step: 'ingest', vendorOutput: output };
const graceMs = 60_000;
const fileGraceMs = 660_000;

interface World {
  readonly task: Task;
  /** When it is, after the deadline; before it when negative. */
  readonly atMs: number;
  readonly poll?: PollOutcome;
  readonly copied?: CopyOutcome['kind'];
  readonly cancel?: 'cancelled' | 'not_cancellable' | 'error';
  /** The worker is stopping. */
  readonly isStopping?: true;
}

interface Happened {
  readonly outcome: unknown;
  readonly calls: string[];
}

function worldOf({ task, atMs, poll, copied, cancel, isStopping }: World) {
  const calls: string[] = [];
  const note = <Value>(call: string, value: Value): Promise<Value> => {
    calls.push(call);
    return Promise.resolve(value);
  };
  const moves = {
    stay: (from: Task, changes: Partial<Task>) =>
      note(`stay ${changes.step} ${changes.stepFailures ?? 0}`, { ...from, ...changes }),
    move: (from: Task, event: string, { changes }: { changes: Partial<Task> }) =>
      note(`move ${[event, changes.step, changes.failure?.code].filter(Boolean).join(' ')}`, from),
    closeLate: () => note('close', undefined),
  } as unknown as Moves;
  const provider = {
    poll: () => note('poll', poll),
    cancel: () => note('cancel', { kind: cancel }),
  } as unknown as VideoProvider;
  const common = {
    vendorOf: (): Vendor => ({
      provider,
      permitToCreate: () => Promise.resolve({ granted: true }),
      requestsPerSecond: 10,
      pace: { firstSeconds: 1, maxSeconds: 2 },
    }),
    moves,
    clock: { now: () => task.expiresAt.getTime() + atMs, random: () => 0.5 },
    fileGraceMs,
  };
  const ingest = createIngestTask({
    watermarkOf: () => undefined,
    ...common,
    copy: (_task, { videoUrl }) =>
      note(`copy ${videoUrl === fresh.videoUrl ? 'fresh' : 'known'}`, {
        kind: copied,
        detail: '',
        media: [],
        video: { seconds: 5, width: 1, height: 1, hasAudio: false },
      } as CopyOutcome),
    discard: () => note('discard', undefined),
  });
  const expire = createExpireTask({
    ...common,
    graceMs,
    steps: { ingest, submitting: () => note('look up', wait(1)) },
  });
  const signal = isStopping ? AbortSignal.abort() : new AbortController().signal;
  return {
    ingest: async (): Promise<Happened> => ({ outcome: await ingest(task, signal), calls }),
    expire: async (): Promise<Happened> => ({ outcome: await expire(task, signal), calls }),
  };
}

const failedTwice: Task = { ...finished, stepFailures: 2 };
const away: PollOutcome = { kind: 'error', detail: '502' };

describe('copying a finished video', () => {
  it.each<[string, Omit<World, 'atMs'>, Happened]>([
    [
      'succeeds at once, without asking the vendor again',
      { task: finished, copied: 'stored' },
      { outcome: moved, calls: ['stay ingest 0', 'copy known', 'move stored done'] },
    ],
    [
      'is tried again when the file cannot be had',
      { task: finished, copied: 'unavailable' },
      { outcome: wait(1_000), calls: ['stay ingest 0', 'copy known', 'stay ingest 1'] },
    ],
    [
      'is tried again with a fresh link when what came is no video',
      { task: failedTwice, poll: { kind: 'succeeded', output: fresh }, copied: 'rejected' },
      { outcome: wait(4_000), calls: ['poll', 'stay ingest 2', 'copy fresh', 'stay ingest 3'] },
    ],
    [
      'is tried with the known link when the vendor gives no answer',
      { task: failedTwice, poll: away, copied: 'stored' },
      { outcome: moved, calls: ['poll', 'stay ingest 2', 'copy known', 'move stored done'] },
    ],
    [
      'pauses a quarter of an hour at most',
      { task: { ...finished, stepFailures: 400 }, poll: away, copied: 'unavailable' },
      {
        outcome: wait(900_000),
        calls: ['poll', 'stay ingest 400', 'copy known', 'stay ingest 401'],
      },
    ],
    [
      'ends when the vendor itself has given the video up',
      { task: failedTwice, poll: { kind: 'failed', failure: 'vendor_error', detail: 'expired' } },
      { outcome: moved, calls: ['poll', 'move failed done vendor_error'] },
    ],
    [
      'is left to polls when the vendor does not know the task and the file is gone',
      { task: failedTwice, poll: { kind: 'missing', detail: '404' }, copied: 'unavailable' },
      { outcome: wait(1_000), calls: ['poll', 'stay ingest 2', 'copy known', 'stay poll 1'] },
    ],
    [
      'counts nothing against the vendor when our storage is away',
      { task: finished, copied: 'our_fault' },
      { outcome: wait(10_000), calls: ['stay ingest 0', 'copy known'] },
    ],
    [
      'is handed back by a worker that stops',
      { task: finished, copied: 'unavailable', isStopping: true },
      { outcome: wait(0), calls: ['stay ingest 0', 'copy known'] },
    ],
  ])('before the deadline %s', async (_what, world, expected) => {
    expect(await worldOf({ ...world, atMs: -1_000 }).ingest()).toEqual(expected);
  });
});

describe('a deadline that has passed', () => {
  it.each<[string, World, Happened]>([
    [
      'hears a vendor that has finished',
      { task: rendering, atMs: 0, poll: { kind: 'succeeded', output } },
      { outcome: moved, calls: ['poll', 'stay ingest 0'] },
    ],
    [
      'hears a vendor that has failed',
      { task: rendering, atMs: 0, poll: { kind: 'failed', failure: 'vendor_error', detail: '' } },
      { outcome: moved, calls: ['poll', 'move failed done vendor_error'] },
    ],
    [
      'ends what is still rendered, and watches it',
      { task: rendering, atMs: 0, poll: { kind: 'pending', vendorStatus: 'x' }, cancel: 'error' },
      { outcome: moved, calls: ['poll', 'move expired late expired', 'cancel'] },
    ],
    [
      'ends what is still rendered, and does not watch what the vendor has cancelled',
      {
        task: rendering,
        atMs: 0,
        poll: { kind: 'pending', vendorStatus: 'x' },
        cancel: 'cancelled',
      },
      { outcome: moved, calls: ['poll', 'move expired late expired', 'cancel', 'close'] },
    ],
    [
      'waits for a vendor that gives no answer',
      { task: rendering, atMs: graceMs - 1, poll: away },
      { outcome: wait(5_000), calls: ['poll'] },
    ],
    [
      'waits no longer than the grace for it',
      { task: rendering, atMs: graceMs, cancel: 'error' },
      { outcome: moved, calls: ['move expired late expired', 'cancel'] },
    ],
    [
      'ends a task that no vendor was asked for',
      { task: aTask({ status: 'queued', step: 'submit' }), atMs: 0 },
      { outcome: moved, calls: ['move expired done expired'] },
    ],
    [
      'looks up a submission that is not resolved',
      { task: aTask({ status: 'queued', step: 'submitting' }), atMs: 0 },
      { outcome: moved, calls: ['look up', 'move expired late expired'] },
    ],
    [
      'lets a finished video be copied',
      { task: finished, atMs: fileGraceMs - 1, copied: 'stored' },
      { outcome: moved, calls: ['stay ingest 0', 'copy known', 'move stored done'] },
    ],
    [
      'ends a finished video that cannot be had',
      { task: finished, atMs: 0, copied: 'unavailable' },
      {
        outcome: moved,
        calls: ['stay ingest 0', 'copy known', 'move expired done output_unavailable'],
      },
    ],
    [
      'ends a file that is no video',
      { task: failedTwice, atMs: 0, poll: away, copied: 'rejected' },
      {
        outcome: moved,
        calls: ['poll', 'stay ingest 2', 'copy known', 'move expired done output_rejected'],
      },
    ],
    [
      'waits for our own storage',
      { task: finished, atMs: fileGraceMs - 1, copied: 'our_fault' },
      { outcome: wait(10_000), calls: ['stay ingest 0', 'copy known'] },
    ],
    [
      'does not begin a copy after the grace',
      { task: finished, atMs: fileGraceMs },
      { outcome: moved, calls: ['move expired done output_unavailable'] },
    ],
    [
      'tries the known file of a vendor that forgot the task',
      {
        task: { ...rendering, vendorOutput: output, stepFailures: 3 },
        atMs: 0,
        poll: { kind: 'missing', detail: '404' },
      },
      { outcome: moved, calls: ['poll', 'stay ingest 3'] },
    ],
  ])('%s', async (_what, world, expected) => {
    expect(await worldOf(world).expire()).toEqual(expected);
  });
});
