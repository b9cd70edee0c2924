import { setTimeout as sleep } from 'node:timers/promises';
import { highestOf, quantileOf } from '../statistics.ts';
import type { PartResult, TasksBench } from './part.ts';
import { seedTasks } from './seed.ts';
import { secondWorker, startStage, worker } from './stage.ts';
import { startFakeVendor } from './vendor.ts';
import { waitFor } from './waiting.ts';

const tasks = 400;
const paceSeconds = 4;
/** With so many polls at once each worker has some twenty tasks in its hands when it is killed. */
const respondAfterMs = 400;
const target = { below: 35 };
const firstPollsWithinMs = 120_000;
/** The connections of a killed process are closed within this. */
const brokenWithinMs = 500;
const againWithinMs = 120_000;

/** From the SIGKILL of one of two workers to the next poll of each task whose poll it broke off. */
export async function killWorker({ say }: TasksBench): Promise<PartResult> {
  const seen = new Set<string>();
  const held = new Set<string>();
  const again = new Map<string, number>();
  const killed: { atMs?: number } = {};
  const vendor = await startFakeVendor({
    respondAfterMs,
    onPoll: (id, atMs, how) => {
      seen.add(id);
      // The worker that is started in the killed one's place reads the list at once, which does not
      // bring a job back.
      if (how === 'alone' && held.has(id) && !again.has(id)) again.set(id, atMs);
    },
    onBroken: (id, atMs) => {
      if (killed.atMs !== undefined && atMs - killed.atMs < brokenWithinMs) held.add(id);
    },
  });
  const stage = await startStage({
    provider: {
      baseUrl: vendor.baseUrl,
      requestsPerSecond: 1_000,
      pollSeconds: { first: paceSeconds, max: paceSeconds },
    },
    workers: 2,
  });
  try {
    const { suite, database, accountId } = stage;
    await Promise.all([worker, secondWorker].map((name) => suite.startService(name)));
    await seedTasks(database, { accountId, baseUrl: vendor.baseUrl, count: tasks });
    const allSeen = await waitFor(() => seen.size === tasks, {
      withinMs: firstPollsWithinMs,
      say,
      progress: () => `${seen.size} of ${tasks} tasks polled`,
    });
    if (!allSeen) {
      throw new Error(
        `only ${seen.size} of ${tasks} tasks were polled within ${firstPollsWithinMs / 1_000} s`,
      );
    }
    // The polls that came together at first drift apart.
    await sleep(5 * paceSeconds * 1_000);
    const killedAt = Date.now();
    killed.atMs = killedAt;
    suite.kill(worker, 'SIGKILL');
    await sleep(brokenWithinMs);
    say(`killed a worker with ${held.size} tasks in its hands`);
    await waitFor(() => again.size === held.size, {
      withinMs: againWithinMs,
      say,
      progress: () => `${again.size} of ${held.size} advance again`,
    });
    return resultOf({ held, again, killedAt });
  } finally {
    await stage.stop();
    await vendor.stop();
  }
}

function resultOf({
  held,
  again,
  killedAt,
}: {
  readonly held: ReadonlySet<string>;
  readonly again: ReadonlyMap<string, number>;
  readonly killedAt: number;
}): PartResult {
  const seconds = [...held].map((id) => ((again.get(id) ?? NaN) - killedAt) / 1_000);
  return {
    figures: [
      {
        measure: `worker killed with ${held.size} tasks in its hands: the last advances again after`,
        unit: 's',
        value: again.size === held.size ? highestOf(seconds) : Infinity,
        target,
      },
      {
        measure: 'the same, median',
        unit: 's',
        value: quantileOf(
          seconds.filter((value) => !Number.isNaN(value)),
          0.5,
        ),
      },
    ],
    notes: [
      `One of two workers was killed while ${tasks} tasks were polled every ${paceSeconds} s; its tasks are those whose poll it broke off.`,
    ],
  };
}
