import { meanOf, quantileOf, highestOf } from '../statistics.ts';
import type { PartResult, TasksBench } from './part.ts';
import { seedTasks } from './seed.ts';
import { startStage, worker, type Stage } from './stage.ts';
import { startFakeVendor, type FakeVendor } from './vendor.ts';
import { waitFor } from './waiting.ts';
import { watchWorker } from './worker-watch.ts';

/**
 * As Ark's documentation has them: polls of one task, and lists, which an account may ask for once
 * a second.
 */
const requestsPerSecond = 10;
const listsPerSecond = 1;
const pollSeconds = { first: 3, max: 30 };
const residentTarget = { below: 600 };
/** Without a new task for so long the first round has come to a halt. */
const haltMs = 120_000;
/** A task that was not polled again within so many intervals counts as late up to then. */
const mostIntervals = 2.5;

interface Rounds {
  readonly last: Map<string, number>;
  /** Between two polls of one task, the second of which was measured; in ms. */
  readonly intervalsMs: number[];
  readonly again: Set<string>;
  isMeasured: boolean;
  newestAt: number;
}

/**
 * More tasks than could be polled one by one, by one worker, before a vendor that can be asked
 * for many at once.
 */
export async function batchPolls(bench: TasksBench): Promise<PartResult> {
  const {
    options: { tasks },
    say,
  } = bench;
  const rounds: Rounds = {
    last: new Map(),
    intervalsMs: [],
    again: new Set(),
    isMeasured: false,
    newestAt: Date.now(),
  };
  const vendor = await startFakeVendor({
    onPoll: (vendorTaskId, atMs) => {
      note(rounds, vendorTaskId, atMs);
    },
  });
  const stage = await startStage({
    provider: { baseUrl: vendor.baseUrl, requestsPerSecond, pollSeconds },
  });
  try {
    say(`putting ${tasks} tasks into the database`);
    await seedTasks(stage.database, {
      accountId: stage.accountId,
      baseUrl: vendor.baseUrl,
      count: tasks,
    });
    return await run(stage, { vendor, rounds, bench });
  } finally {
    await stage.stop();
    await vendor.stop();
  }
}

/** The first round over all tasks, then the measured one. */
async function run(stage: Stage, measured: Measured): Promise<PartResult> {
  const {
    rounds,
    bench: {
      options: { tasks },
      say,
    },
  } = measured;
  await stage.suite.startService(worker);
  const watch = watchWorker(stage.suite.pidOf(worker) ?? NaN);
  rounds.newestAt = Date.now();
  const isHalted = (): boolean => Date.now() - rounds.newestAt > haltMs;
  await waitFor(() => rounds.last.size === tasks || isHalted(), {
    withinMs: Infinity,
    say,
    progress: () => `${rounds.last.size} of ${tasks} tasks polled`,
  });
  const unseen = tasks - rounds.last.size;
  const { figures, notes } = await measure(stage, measured);
  const { highestMegabytes } = watch.stop();
  const memory = {
    measure: 'resident memory of the worker, highest',
    unit: 'MB',
    value: highestMegabytes,
    target: residentTarget,
  };
  return {
    figures: [...figures, memory],
    notes:
      unseen > 0
        ? [...notes, `${unseen} tasks were never polled; the figures are of the others.`]
        : notes,
  };
}

function note(rounds: Rounds, id: string, atMs: number): void {
  const before = rounds.last.get(id);
  rounds.last.set(id, atMs);
  if (before === undefined) rounds.newestAt = atMs;
  if (before === undefined || !rounds.isMeasured) return;
  rounds.intervalsMs.push(atMs - before);
  rounds.again.add(id);
}

interface Measured {
  readonly vendor: FakeVendor;
  readonly rounds: Rounds;
  readonly bench: TasksBench;
}

async function measure(
  { suite }: Stage,
  {
    vendor: { listings },
    rounds,
    bench: {
      options: { tasks },
      say,
    },
  }: Measured,
): Promise<PartResult> {
  const perList = highestOf(listings.map(({ named }) => named).concat(0));
  const intervalSeconds =
    perList === 0
      ? Math.max(pollSeconds.max, tasks / requestsPerSecond)
      : Math.max(pollSeconds.max, tasks / (perList * listsPerSecond));
  const firstListing = listings.length;
  const watch = watchWorker(suite.pidOf(worker) ?? NaN);
  rounds.isMeasured = true;
  say(`every task was polled once; an interval takes ${Math.round(intervalSeconds)} s`);
  const seen = rounds.last.size;
  await waitFor(() => rounds.again.size === seen, {
    withinMs: intervalSeconds * mostIntervals * 1_000,
    say,
    progress: () => `${rounds.again.size} of ${seen} tasks polled again`,
  });
  rounds.isMeasured = false;
  const { seconds, cores } = watch.stop();
  const now = Date.now();
  const missing = [...rounds.last]
    .filter(([id]) => !rounds.again.has(id))
    .map(([, at]) => now - at);
  const lags = [...rounds.intervalsMs, ...missing].map((intervalMs) =>
    Math.max(0, intervalMs / 1_000 - intervalSeconds),
  );
  const measured = listings.slice(firstListing).map(({ named }) => named);
  return {
    figures: [
      {
        measure: `${tasks.toLocaleString('en-US')} tasks, one worker: lag of a poll, p99`,
        unit: 's',
        value: quantileOf(lags, 0.99),
        target: { below: intervalSeconds },
      },
      { measure: 'the same, median', unit: 's', value: quantileOf(lags, 0.5) },
      { measure: 'lists', unit: '1/s', value: measured.length / seconds },
      { measure: 'tasks in a list, mean', unit: '', value: meanOf(measured) },
      { measure: 'CPU of the worker', unit: 'cores', value: cores },
    ],
    notes: [
      `Lag: the time between two polls of one task beyond ${Math.round(intervalSeconds)} s, which is ${perList === 0 ? `the pace at ${requestsPerSecond} looks a second` : `${tasks.toLocaleString('en-US')} tasks at ${perList} in a list and ${listsPerSecond} list a second, or the pace if that is longer`}.`,
      `${rounds.again.size.toLocaleString('en-US')} tasks were polled a second time in ${Math.round(seconds)} s; ${missing.length.toLocaleString('en-US')} were not and count as late up to then.`,
    ],
  };
}
