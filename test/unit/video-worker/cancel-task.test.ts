import { describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import type { TaskStep } from '@gateway/domain';
import type { CancelOutcome, PollOutcome, VideoProvider } from '@gateway/video-providers';
import {
  createAdvanceTask,
  type AdvanceTaskPorts,
} from '../../../services/video-worker/src/use-cases/advance-task.ts';
import { createCancelTask } from '../../../services/video-worker/src/use-cases/cancel-task.ts';
import { createPollTask } from '../../../services/video-worker/src/use-cases/poll-task.ts';
import {
  over,
  wait,
  type Moves,
  type Vendor,
} from '../../../services/video-worker/src/use-cases/ports.ts';
import { aTask } from '../contracts/samples.ts';

const wishedAt = new Date('2026-01-01T10:00:05Z');
const at = (step: TaskStep, fields: Partial<Task> = {}): Task =>
  aTask({
    step,
    status: step === 'poll' || step === 'ingest' ? 'running' : 'queued',
    cancelRequestedAt: wishedAt,
    vendor: { ...aTask().vendor, taskId: step === 'poll' ? 'vendor-1' : null },
    ...fields,
  });

/** A worker whose vendor returns this; what it does is written down. */
function aWorker(responses: { cancel?: CancelOutcome; poll?: PollOutcome } = {}) {
  const calls: string[] = [];
  const moves = {
    move: (task: Task, event: string) => {
      calls.push(`move ${event}`);
      return Promise.resolve(task);
    },
    stay: (
      task: Task,
      {
        step,
        stepFailures,
        cancelRefused,
      }: { step: string; stepFailures?: number; cancelRefused?: true },
    ) => {
      calls.push(`stay ${step} ${stepFailures ?? 0}${cancelRefused === true ? ' refused' : ''}`);
      return Promise.resolve(task);
    },
    recordExposure: (_task: Task, { kind }: { kind: string }) => {
      calls.push(`note ${kind}`);
      return Promise.resolve();
    },
  } as unknown as Moves;
  const provider = {
    cancel: (id: string) => {
      calls.push(`ask ${id}`);
      return Promise.resolve(responses.cancel ?? { kind: 'cancelled' });
    },
    poll: (id: string) => {
      calls.push(`look ${id}`);
      return Promise.resolve(responses.poll ?? { kind: 'pending', vendorStatus: 'queued' });
    },
  } as unknown as VideoProvider;
  const vendorOf = (): Vendor => ({
    provider,
    permitToCreate: () => Promise.resolve({ granted: true }),
    requestsPerSecond: 10,
    pace: { firstSeconds: 1, maxSeconds: 2 },
  });
  const clock = { now: () => wishedAt.getTime(), random: () => 0.5 };
  const poll = createPollTask({
    leaveRoute: () => Promise.resolve(false),
    vendorOf,
    moves,
    clock,
    liveTasks: () => Promise.resolve(1),
    usualMs: () => Promise.resolve(undefined),
  });
  const step = (name: string) => () => {
    calls.push(name);
    return Promise.resolve(wait(1));
  };
  const steps = {
    submit: step('submit'),
    submitting: step('submitting'),
    ingest: step('ingest'),
    late: step('late'),
    poll,
  };
  return { calls, poll, steps, cancel: createCancelTask({ vendorOf, moves, steps }) };
}
const signal = new AbortController().signal;

describe('a task whose customer wishes it cancelled', () => {
  it.each<[TaskStep, CancelOutcome | undefined, string[]]>([
    ['submit', undefined, ['move cancelled']],
    ['submitting', undefined, ['submitting']],
    ['poll', { kind: 'cancelled' }, ['ask vendor-1', 'move cancelled']],
    ['poll', { kind: 'not_cancellable', detail: '' }, ['ask vendor-1', 'stay poll 2 refused']],
    ['poll', { kind: 'error', detail: '' }, ['ask vendor-1', 'look vendor-1', 'stay poll 0']],
    ['ingest', undefined, ['stay ingest 2 refused']],
  ])('and that stands at %s, with the vendor responding %j', async (step, cancel, expected) => {
    const worker = aWorker(cancel && { cancel });

    await worker.cancel(at(step, { stepFailures: 2 }), signal);

    expect(worker.calls).toEqual(expected);
  });

  it.each([
    [
      'after the wish is noted as an orphan, before the task ends',
      new Date(wishedAt.getTime() + 1),
      ['ask vendor-1', 'note orphan', 'move cancelled'],
    ],
    ['before it is not', new Date(wishedAt.getTime() - 1), ['ask vendor-1', 'move cancelled']],
  ])('and that the vendor took %s', async (_when, startedAt, expected) => {
    const worker = aWorker();

    await worker.cancel(at('poll', { startedAt }), signal);

    expect(worker.calls).toEqual(expected);
  });

  it('is cancelled, not failed, when the vendor shows that it was', async () => {
    const shown = { poll: { kind: 'failed', failure: 'cancelled', detail: '' } } as const;
    const [wished, plain] = [aWorker(shown), aWorker(shown)];

    await wished.poll(at('poll'), signal);
    await plain.poll(at('poll', { cancelRequestedAt: null }), signal);

    expect([wished.calls.at(-1), plain.calls.at(-1)]).toEqual(['move cancelled', 'move failed']);
  });

  it('fails as usual when it failed for another reason', async () => {
    const worker = aWorker({ poll: { kind: 'failed', failure: 'content_policy', detail: '' } });

    await worker.poll(at('poll'), signal);

    expect(worker.calls.at(-1)).toBe('move failed');
  });
});

describe('what is due for a task', () => {
  const deadline = aTask().expiresAt.getTime();
  it.each<[string, Partial<Task>, number, string]>([
    ['its step, when nobody wishes anything', { cancelRequestedAt: null }, deadline - 1, 'submit'],
    ['the wish before the step', {}, deadline - 1, 'cancel'],
    ['the deadline before the wish', {}, deadline, 'expire'],
    [
      'the watch, once it has expired, whatever was wished',
      { status: 'expired', step: 'late' },
      deadline + 1,
      'late',
    ],
  ])('is %s', async (_what, fields, now, expected) => {
    const calls: string[] = [];
    const step = (name: string) => () => {
      calls.push(name);
      return Promise.resolve(over);
    };
    const steps = Object.fromEntries(
      ['submit', 'submitting', 'poll', 'ingest', 'late'].map((name) => [name, step(name)]),
    ) as unknown as AdvanceTaskPorts['steps'];
    const lane = {
      enterBulkhead: () => () => undefined,
      fullBulkheadPauseMs: () => Promise.resolve(1),
    };
    const advance = createAdvanceTask({
      ...lane,
      find: () => Promise.resolve(at('submit', fields)),
      now: () => now,
      steps,
      expire: step('expire'),
      cancel: step('cancel'),
    });

    await advance('video_a', signal);

    expect(calls).toEqual([expected]);
  });
});
