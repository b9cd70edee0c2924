import { setTimeout as sleep } from 'node:timers/promises';
import { createProducer, type Producer } from '@gateway/queue';
import { eventually } from '@gateway/testing';
import { quantileOf } from '../statistics.ts';
import { openDueBook, type DueBook } from './due-book.ts';
import type { PartResult, TasksBench } from './part.ts';
import { seedTasks, taskIdAt } from './seed.ts';
import { startStage, worker, type Stage } from './stage.ts';
import { startFakeVendor } from './vendor.ts';
import { waitFor } from './waiting.ts';
import { watchWorker } from './worker-watch.ts';

const tasks = 5_000;
const paceSeconds = 10;
/** So many that the rate never stretches the pace. */
const requestsPerSecond = 5_000;
const lagTarget = { below: 2 };
const coresTarget = { below: 1 };
const residentTarget = { below: 300 };
/**
 * A worker starts within this; the first polls are due behind it, spread over one pace as if the
 * tasks had come one by one.
 */
const startMs = 8_000;
const firstPollsWithinMs = 120_000;

/** Tasks that are each polled every ten seconds, by one worker. */
export async function singlePolls(bench: TasksBench): Promise<PartResult> {
  const seen = new Set<string>();
  const book: { current?: DueBook } = {};
  const vendor = await startFakeVendor({
    onPoll: (vendorTaskId, atMs) => {
      const taskId = taskIdAt(vendorTaskId);
      seen.add(taskId);
      book.current?.polled(taskId, atMs);
    },
  });
  const stage = await startStage({
    provider: {
      baseUrl: vendor.baseUrl,
      requestsPerSecond,
      pollSeconds: { first: paceSeconds, max: paceSeconds },
    },
  });
  try {
    book.current = openDueBook(stage.suite.redisUrl);
    await seedAndWake(stage, vendor.baseUrl);
    await stage.suite.startService(worker);
    const allSeen = await waitFor(() => seen.size === tasks, {
      withinMs: firstPollsWithinMs,
      say: bench.say,
      progress: () => `${seen.size} of ${tasks} tasks polled`,
    });
    if (!allSeen) {
      throw new Error(
        `only ${seen.size} of ${tasks} tasks were polled within ${firstPollsWithinMs / 1_000} s`,
      );
    }
    return await measure(stage, book.current, bench);
  } finally {
    await book.current?.stop();
    await stage.stop();
    await vendor.stop();
  }
}

async function seedAndWake(
  { database, accountId, suite: { redisUrl } }: Stage,
  baseUrl: string,
): Promise<void> {
  const taskIds = await seedTasks(database, { accountId, baseUrl, count: tasks });
  const silent = (): void => undefined;
  const producer = createProducer({
    redisUrl,
    prefix: 'gateway',
    log: { error: silent, warn: silent, info: silent, debug: silent },
  });
  await eventually(() => producer.check(), { withinMs: 10_000, everyMs: 50 });
  await Promise.all(taskIds.map((taskId) => wake(producer, taskId)));
  await producer.part.stop();
}

const wake = (producer: Producer, taskId: string): Promise<void> =>
  producer.wake('video.advance', taskId, {
    requestId: 'bench',
    delayMs: startMs + Math.round(Math.random() * paceSeconds * 1_000),
  });

async function measure(
  { suite }: Stage,
  book: DueBook,
  { options: { minutes }, say }: TasksBench,
): Promise<PartResult> {
  const watch = watchWorker(suite.pidOf(worker) ?? NaN);
  book.begin();
  say(`every task was polled once; measuring for ${minutes} min`);
  await sleep(minutes * 60_000);
  const { lagsMs, polls: made } = book.end();
  const { seconds, cores, highestMegabytes } = watch.stop();
  const lag = (share: number): number => quantileOf(lagsMs, share) / 1_000;
  return {
    figures: [
      {
        measure: `${tasks.toLocaleString('en-US')} tasks, one worker: lag of a poll, p99`,
        unit: 's',
        value: lag(0.99),
        target: lagTarget,
      },
      { measure: 'the same, median', unit: 's', value: lag(0.5) },
      { measure: 'polls', unit: '1/s', value: made / seconds },
      { measure: 'CPU of the worker', unit: 'cores', value: cores, target: coresTarget },
      {
        measure: 'resident memory of the worker, highest',
        unit: 'MB',
        value: highestMegabytes,
        target: residentTarget,
      },
    ],
    notes: [
      `Lag: from when a poll was due in the queue to when the vendor got it, ${lagsMs.length.toLocaleString('en-US')} polls in ${Math.round(seconds)} s; those that were due and had not come at the end are among them. A look every ${paceSeconds} s (± 15 %) of each task.`,
      ...(lagsMs.length < made * 0.95
        ? [`It was not known when ${made - lagsMs.length} polls were due.`]
        : []),
    ],
  };
}
