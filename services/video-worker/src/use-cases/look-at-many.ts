import { setTimeout as delay } from 'node:timers/promises';
import type { Task } from '@gateway/contracts';
import { backoffDelayMs, isTerminal, longestPollDelayMs, needsBatchedLooks } from '@gateway/domain';
import { runWith } from '@gateway/runtime';
import type { PollMany, PollManyOutcome, PollOutcome } from '@gateway/video-providers';
import { recordEnd, type VendorEnd } from './poll-task.ts';
import type { Clock, Moves, Turn, Vendor } from './ports.ts';

/** A task that is polled, as the vendor's list names it. */
export interface ListedTask {
  readonly id: string;
  readonly vendorTaskId: string;
}

interface Page {
  readonly tasks: readonly ListedTask[];
  readonly next: string | undefined;
}

export interface LookAtManyPorts {
  /** A provider as it is configured now; undefined when it is not any more. */
  readonly vendorNamed: (
    provider: string,
  ) =>
    | { readonly vendor: Vendor; readonly baseUrl: string; readonly maxConcurrent: number }
    | undefined;
  readonly liveTasks: (provider: string) => Promise<number>;
  /**
   * Some of the tasks that are polled there, from the unfinished tasks above `after` and beyond
   * `skip` more in the order of their ids; `next` is where to go on, undefined at the end.
   */
  readonly polledTasks: (
    vendor: { readonly provider: string; readonly baseUrl: string },
    stretch: { readonly after: string; readonly skip: number; readonly limit: number },
  ) => Promise<Page>;
  readonly find: (taskId: string) => Promise<Task | undefined>;
  readonly moves: Moves;
  /** Brings the next look at a task forward to now; never throws. */
  readonly hurry: (task: Task) => Promise<void>;
  readonly clock: Clock;
  readonly onAnswer: (provider: string, answer: PollManyOutcome) => void;
}

/**
 * Looks at many of a provider's tasks with each request, round and round, for as long as single
 * looks are too slow and until those that were put off meanwhile have come due; then returns.
 */
export type LookAtMany = (provider: string, signal: AbortSignal) => Promise<void>;

/** How far a provider's tasks have been asked about. */
interface Round {
  /** The last task that was; empty at the end, undefined before the first request. */
  place: string | undefined;
  /** Requests in a row without an answer. */
  failures: number;
  /** Until then, in ms of the clock, single looks may be due that were put off for the crowd. */
  until: number;
}

/** A vendor that can be asked about many tasks, and has or had so many that it should be. */
interface Crowd {
  readonly provider: string;
  readonly baseUrl: string;
  readonly pollMany: PollMany;
  readonly turn: () => Promise<Turn>;
  readonly liveTasks: number;
  readonly round: Round;
}

const errorBackoff = { firstMs: 1_000, maxMs: 60_000 } as const;
/** After a stretch without a task that is polled. */
const emptyPauseMs = 200;
const endPauseMs = 1_000;
const shortestPauseMs = 10;
/**
 * Tasks of one answer that are written down at the same time: they share the database with
 * everything else.
 */
const writesAtOnce = 8;

/**
 * Single looks go on beside it, as rarely as the vendor's rate asks for: they find what a list
 * leaves out. The first list of a replica begins anywhere among the tasks, so that replicas do not
 * ask about the same ones.
 */
export function createLookAtMany(ports: LookAtManyPorts): LookAtMany {
  const { clock } = ports;
  const recordAll = recorder(ports);
  const rounds = new Map<string, Round>();
  return async (provider, signal) => {
    for (;;) {
      const crowd = signal.aborted ? undefined : await crowdAt(provider);
      if (crowd === undefined) return;
      const pauseMs = await goOn(crowd, signal);
      // An abort ends the pause.
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };

  async function crowdAt(provider: string): Promise<Crowd | undefined> {
    const { vendor, baseUrl, maxConcurrent } = ports.vendorNamed(provider) ?? {};
    if (
      vendor?.provider.pollMany === undefined ||
      vendor.turnToPollMany === undefined ||
      baseUrl === undefined
    ) {
      return undefined;
    }
    const liveTasks = await ports.liveTasks(provider);
    // How many tasks there were before this replica came is not known, but not more than there may
    // be.
    const round = rounds.get(provider) ?? {
      place: undefined,
      failures: 0,
      until: lastLookAt(vendor, maxConcurrent ?? 0),
    };
    rounds.set(provider, round);
    round.until = Math.max(round.until, lastLookAt(vendor, liveTasks));
    if (clock.now() >= round.until) return undefined;
    return {
      provider,
      baseUrl,
      liveTasks,
      round,
      pollMany: vendor.provider.pollMany,
      turn: vendor.turnToPollMany,
    };
  }

  /**
   * When the last single look is due of those that are put off for so many tasks; now when none is.
   */
  function lastLookAt({ pace, requestsPerSecond }: Vendor, liveTasks: number): number {
    const isNeeded = needsBatchedLooks({ pace, requestsPerSecond, liveTasks });
    return clock.now() + (isNeeded ? longestPollDelayMs({ liveTasks, requestsPerSecond }) : 0);
  }

  /** One request about the next tasks; answers how long to pause after it. */
  async function goOn(crowd: Crowd, signal: AbortSignal): Promise<number> {
    const { round } = crowd;
    const skip = round.place === undefined ? Math.floor(clock.random() * crowd.liveTasks) : 0;
    const { tasks, next } = await ports.polledTasks(crowd, {
      after: round.place ?? '',
      skip,
      limit: crowd.pollMany.maxIds,
    });
    if (tasks.length === 0) {
      round.place = next ?? '';
      return next === undefined ? endPauseMs : emptyPauseMs;
    }
    const turn = await crowd.turn();
    if (!turn.granted) return Math.max(turn.afterMs, shortestPauseMs);
    const answer = await crowd.pollMany.poll(
      tasks.map(({ vendorTaskId }) => vendorTaskId),
      signal,
    );
    ports.onAnswer(crowd.provider, answer);
    if (answer.kind === 'error') {
      round.failures += 1;
      return Math.max(
        answer.retryAfterMs ?? 0,
        backoffDelayMs(errorBackoff, round.failures, clock.random()),
      );
    }
    // Before the writes: a task that cannot be written must not keep the round where it is.
    Object.assign(round, {
      failures: 0,
      place: placeAfter({ tasks, next }, answer.asked),
    } satisfies Partial<Round>);
    await recordAll(tasks.slice(0, answer.asked), answer.outcomes);
    return 0;
  }
}

const placeAfter = ({ tasks, next }: Page, asked: number): string =>
  (asked < tasks.length ? tasks[asked - 1]?.id : next) ?? '';

type RecordAll = (
  tasks: readonly ListedTask[],
  outcomes: ReadonlyMap<string, PollOutcome>,
) => Promise<void>;

/**
 * Writes down the ends among the outcomes, each for itself; then throws the first of what went
 * wrong.
 */
function recorder({
  find,
  moves,
  hurry,
  clock,
}: Pick<LookAtManyPorts, 'find' | 'moves' | 'hurry' | 'clock'>): RecordAll {
  return async (tasks, outcomes) => {
    const ended = tasks.flatMap((task) => endOf(task, outcomes.get(task.vendorTaskId)));
    const failed: unknown[] = [];
    for (let start = 0; start < ended.length; start += writesAtOnce) {
      const settled = await Promise.allSettled(
        ended.slice(start, start + writesAtOnce).map(({ task, end }) => record(task, end)),
      );
      failed.push(
        ...settled.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : [])),
      );
    }
    if (failed.length > 0) throw failed[0];
  };

  async function record({ id, vendorTaskId }: ListedTask, end: VendorEnd): Promise<void> {
    const task = await find(id);
    if (task === undefined || !isStillPolled(task, vendorTaskId, clock.now())) return;
    await runWith({ requestId: task.requestId, taskId: task.id }, async () => {
      if (!isDoubtful(end)) await recordEnd(task, end, moves);
      await hurry(task);
    });
  }
}

const endOf = (
  task: ListedTask,
  outcome: PollOutcome | undefined,
): { task: ListedTask; end: VendorEnd }[] =>
  outcome?.kind === 'succeeded' || outcome?.kind === 'failed' ? [{ task, end: outcome }] : [];

/**
 * Whoever failed before has a pause of its own, its deadline is its own job's business, and a list
 * says nothing of another vendor task.
 */
const isStillPolled = (task: Task, vendorTaskId: string, now: number): boolean =>
  task.step === 'poll' &&
  !isTerminal(task.status) &&
  task.stepFailures === 0 &&
  now < task.expiresAt.getTime() &&
  task.vendor.taskId === vendorTaskId;

/**
 * A list may leave fields out: whether a file is missing is for a look at the task itself to say.
 */
const isDoubtful = (end: VendorEnd): boolean =>
  end.kind === 'failed' && end.failure === 'no_output';
