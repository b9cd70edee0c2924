import { describe, expect, it } from '@jest/globals';
import type { Task, VendorOutput } from '@gateway/contracts';
import type { PollManyOutcome, PollOutcome, VideoProvider } from '@gateway/video-providers';
import { createBatchPoll } from '../../../services/video-worker/src/use-cases/batch-poll.ts';
import type { Moves, Permit, Vendor } from '../../../services/video-worker/src/use-cases/ports.ts';
import type { ListedTask } from '../../../services/video-worker/src/use-cases/record-batch.ts';
import { aTask } from '../contracts/samples.ts';

const now = new Date('2026-01-01T12:00:00Z').getTime();
const output: VendorOutput = { videoUrl: 'https://files.example/v.mp4' };
const succeeded: PollOutcome = { kind: 'succeeded', output };
const pending: PollOutcome = { kind: 'pending', vendorStatus: 'running' };
const failed: PollOutcome = { kind: 'failed', failure: 'vendor_error', detail: 'x' };

const aPolledTask = (id: string, fields: Partial<Task> = {}): Task =>
  aTask({
    id,
    status: 'running',
    step: 'poll',
    stepFailures: 0,
    startedAt: new Date(now - 60_000),
    expiresAt: new Date(now + 60_000),
    ...fields,
    vendor: { ...aTask().vendor, provider: 'studio', taskId: `v-${id}`, ...fields.vendor },
  });

interface Stage {
  readonly tasks: readonly Task[];
  /** What each request gets, in order; the last one ends the looks. */
  readonly responses: readonly ((asked: readonly string[]) => PollManyOutcome)[];
  readonly maxIds?: number;
  /** At this moment and those after it; the last number stays. */
  readonly liveTasks?: readonly number[];
  readonly maxConcurrent?: number;
  /** How far the clock goes with each request. */
  readonly requestMs?: number;
  readonly random?: number;
  readonly permits?: readonly Permit[];
  /** The tasks as they are when the response has come. */
  readonly afterwards?: readonly Task[];
  readonly write?: (taskId: string) => Promise<void>;
  readonly canPollMany?: boolean;
}

const polled =
  (outcomes: Readonly<Record<string, PollOutcome>>, asked?: number) =>
  (ids: readonly string[]): PollManyOutcome => ({
    kind: 'answered',
    asked: asked ?? ids.length,
    outcomes: new Map(Object.entries(outcomes)),
  });
const nothing = polled({});

/** Looks until the last response was given; tells what was asked, written and hurried. */
async function looks({
  tasks,
  responses,
  maxIds = 2,
  liveTasks = [1_000],
  maxConcurrent = 300,
  requestMs = 0,
  random = 0,
  permits = [],
  afterwards = tasks,
  write,
  canPollMany = true,
}: Stage) {
  const seen = {
    asked: [] as string[][],
    written: [] as string[],
    hurried: [] as string[],
    responses: [] as string[],
    permits: 0,
  };
  const ending = new AbortController();
  let counts = 0;
  const noted = async (taskId: string, what: string): Promise<Task | undefined> => {
    await write?.(taskId);
    seen.written.push(`${taskId} ${what}`);
    return undefined;
  };
  const moves = {
    stay: (task: Task, { step }: { step: string }) => noted(task.id, step),
    move: (task: Task, event: string) => noted(task.id, event),
    recordExposure: () => Promise.resolve(),
  } as unknown as Moves;
  const pollMany: VideoProvider['pollMany'] = {
    maxIds,
    perSecond: 1,
    poll(ids) {
      const response = responses[seen.asked.length];
      seen.asked.push([...ids]);
      if (seen.asked.length >= responses.length) ending.abort();
      return Promise.resolve((response ?? nothing)(ids));
    },
  };
  const vendor: Vendor = {
    provider: { ...(canPollMany && { pollMany }) } as unknown as VideoProvider,
    permitToCreate: () => Promise.resolve({ granted: true }),
    permitToPollMany: () => Promise.resolve(permits[seen.permits++] ?? { granted: true }),
    requestsPerSecond: 10,
    pace: { firstSeconds: 1, maxSeconds: 30 },
  };
  const batchPoll = createBatchPoll({
    leaveRoute: () => Promise.resolve(false),
    vendorNamed: (provider) =>
      provider === 'studio' ? { vendor, baseUrl: 'http://vendor', maxConcurrent } : undefined,
    liveTasks: () => Promise.resolve(liveTasks[Math.min(counts++, liveTasks.length - 1)]!),
    polledTasks(_vendor, { after, skip, limit }) {
      const page: ListedTask[] = tasks
        .filter(({ id }) => id > after)
        .slice(skip, skip + limit)
        .map(({ id }) => ({ id, vendorTaskId: `v-${id}` }));
      return Promise.resolve({
        tasks: page,
        next: page.length === limit ? page.at(-1)?.id : undefined,
      });
    },
    find: (taskId) => Promise.resolve(afterwards.find(({ id }) => id === taskId)),
    moves,
    hurry: ({ id }) => {
      seen.hurried.push(id);
      return Promise.resolve();
    },
    clock: { now: () => now + seen.asked.length * requestMs, random: () => random },
    onResponse: (provider, { kind }) => {
      seen.responses.push(`${provider} ${kind}`);
    },
  });
  const look = (): Promise<void> =>
    batchPoll('studio', ending.signal).catch((error: unknown) => {
      seen.responses.push(`thrown ${(error as Error).message}`);
      return look(); // as the part does a moment later
    });
  await look();
  return seen;
}

const crowd = ['a', 'b', 'c', 'd', 'e'].map((id) => aPolledTask(id));

describe('looking at many tasks at once', () => {
  it('goes round all tasks by id, and begins again after the last', async () => {
    const { asked } = await looks({
      tasks: crowd,
      responses: [nothing, nothing, nothing, nothing],
    });

    expect(asked).toEqual([['v-a', 'v-b'], ['v-c', 'v-d'], ['v-e'], ['v-a', 'v-b']]);
  });

  it('begins anywhere among the tasks, and goes on from there', async () => {
    const { asked } = await looks({
      tasks: crowd,
      liveTasks: [400],
      random: 1 / 400,
      responses: [nothing, nothing],
    });

    expect(asked).toEqual([
      ['v-b', 'v-c'],
      ['v-d', 'v-e'],
    ]);
  });

  it('goes on after the last task that fitted into the request', async () => {
    const { asked } = await looks({ tasks: crowd, maxIds: 4, responses: [polled({}, 2), nothing] });

    expect(asked).toEqual([
      ['v-a', 'v-b', 'v-c', 'v-d'],
      ['v-c', 'v-d', 'v-e'],
    ]);
  });

  it('asks nothing while single looks are fast enough, and of a vendor that has no list', async () => {
    expect((await looks({ tasks: crowd, liveTasks: [300], responses: [nothing] })).asked).toEqual(
      [],
    );
    expect((await looks({ tasks: crowd, canPollMany: false, responses: [nothing] })).asked).toEqual(
      [],
    );
  });

  it('goes on after the crowd has gone until the last look is due that was put off for it', async () => {
    // 1,000 tasks at 10 requests a second: looks are put off by 100 s, and 15 s of jitter.
    expect(
      (
        await looks({
          tasks: crowd,
          liveTasks: [1_000, 1],
          requestMs: 23_000,
          responses: Array.from({ length: 20 }, () => nothing),
        })
      ).asked,
    ).toHaveLength(5);
  });

  it('begins so too after a start, when there may have been a crowd before', async () => {
    expect(
      (
        await looks({
          tasks: crowd,
          liveTasks: [1],
          maxConcurrent: 1_000,
          requestMs: 23_000,
          responses: Array.from({ length: 20 }, () => nothing),
        })
      ).asked,
    ).toHaveLength(5);
  });

  it('asks only when it is its turn', async () => {
    const { asked, permits } = await looks({
      tasks: crowd,
      permits: [
        { granted: false, afterMs: 1 },
        { granted: false, afterMs: 1 },
      ],
      responses: [nothing],
    });

    expect({ asked, permits }).toEqual({ asked: [['v-a', 'v-b']], permits: 3 });
  });

  it('writes down who is over, hurries them and lets everybody else be', async () => {
    const { written, hurried } = await looks({
      tasks: crowd,
      maxIds: 5,
      responses: [
        polled({
          'v-a': succeeded,
          'v-b': pending,
          'v-c': failed,
          'v-d': { kind: 'missing', detail: 'x' },
          'v-x': failed,
        }),
      ],
    });

    expect(written.sort()).toEqual(['a ingest', 'c failed']);
    expect(hurried.sort()).toEqual(['a', 'c']);
  });

  it('ends a task as cancelled that its customer wished to be, and as failed otherwise', async () => {
    const [wished, unwished] = [
      aPolledTask('a', { cancelRequestedAt: new Date(now - 1_000) }),
      aPolledTask('b', { cancelRequestedAt: null }),
    ];
    const cancelled: PollOutcome = { kind: 'failed', failure: 'cancelled', detail: 'x' };

    expect(
      (
        await looks({
          tasks: [wished, unwished],
          responses: [polled({ 'v-a': cancelled, 'v-b': cancelled })],
        })
      ).written.sort(),
    ).toEqual(['a cancelled', 'b failed']);
  });

  it('does not believe a list that a file is missing: the task itself is looked at', async () => {
    const { written, hurried } = await looks({
      tasks: crowd,
      responses: [polled({ 'v-a': { kind: 'failed', failure: 'no_output', detail: 'x' } })],
    });

    expect({ written, hurried }).toEqual({ written: [], hurried: ['a'] });
  });

  it.each<[string, Task | undefined]>([
    ['has been removed', undefined],
    ['is being copied', aPolledTask('a', { step: 'ingest' })],
    ['has expired', aPolledTask('a', { status: 'expired' })],
    ['has reached its deadline', aPolledTask('a', { expiresAt: new Date(now) })],
    ['has failed before', aPolledTask('a', { stepFailures: 1 })],
    [
      'has another vendor task',
      aPolledTask('a', { vendor: { ...aTask().vendor, taskId: 'v-other' } }),
    ],
  ])('leaves a task alone that meanwhile %s', async (_what, task) => {
    const { written, hurried } = await looks({
      tasks: crowd.slice(0, 1),
      afterwards: task === undefined ? [] : [task],
      responses: [polled({ 'v-a': succeeded })],
    });

    expect({ written, hurried }).toEqual({ written: [], hurried: [] });
  });

  it('asks about the same tasks again after an error, no sooner than the vendor wants', async () => {
    const startedAt = performance.now();
    const { asked, responses } = await looks({
      tasks: crowd,
      responses: [() => ({ kind: 'error', detail: '429', retryAfterMs: 1_200 }), nothing],
    });

    expect(asked).toEqual([
      ['v-a', 'v-b'],
      ['v-a', 'v-b'],
    ]);
    expect(responses).toEqual(['studio error', 'studio answered']);
    expect(performance.now() - startedAt).toBeGreaterThan(1_190);
  });

  it('is not held up by a task that cannot be written: the others are, and the next round goes on', async () => {
    const { asked, written, hurried, responses } = await looks({
      tasks: crowd,
      maxIds: 3,
      write: (taskId) => (taskId === 'b' ? Promise.reject(new Error('no')) : Promise.resolve()),
      responses: [polled({ 'v-a': succeeded, 'v-b': succeeded, 'v-c': failed }), nothing],
    });

    expect(written.sort()).toEqual(['a ingest', 'c failed']);
    expect(hurried.sort()).toEqual(['a', 'c']);
    expect(responses).toEqual(['studio answered', 'thrown no', 'studio answered']);
    expect(asked).toEqual([
      ['v-a', 'v-b', 'v-c'],
      ['v-d', 'v-e'],
    ]);
  });

  it('ends when the process stops, also while it waits', async () => {
    await expect(
      looks({
        tasks: crowd,
        responses: [() => ({ kind: 'error', detail: 'x', retryAfterMs: 3_600_000 })],
      }),
    ).resolves.toMatchObject({ responses: ['studio error'] });
  });
});
