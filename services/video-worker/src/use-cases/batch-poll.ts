import { setTimeout as delay } from 'node:timers/promises';
import { backoffDelayMs, longestPollDelayMs, needsBatchPolls } from '@gateway/domain';
import type { Work } from '@gateway/store';
import type { PollMany, PollManyOutcome } from '@gateway/video-providers';
import type { Permit, Vendor } from './ports.ts';
import { createRecordBatch, type RecordBatchPorts } from './record-batch.ts';

export interface BatchPollPorts extends RecordBatchPorts, Pick<Work, 'polledTasks'> {
  /** A provider as it is configured now; undefined when it no longer is. */
  readonly vendorNamed: (
    provider: string,
  ) =>
    | { readonly vendor: Vendor; readonly baseUrl: string; readonly maxConcurrent: number }
    | undefined;
  readonly liveTasks: (provider: string) => Promise<number>;
  readonly onResponse: (provider: string, response: PollManyOutcome) => void;
}

/**
 * Polls many of a provider's tasks with each request, round and round, for as long as single polls
 * are too slow and until those that were delayed meanwhile have come due; then returns.
 */
export type BatchPoll = (provider: string, signal: AbortSignal) => Promise<void>;

/** How far a provider's tasks have been polled. */
interface Cursor {
  /** The last task that was; empty at the end, undefined before the first request. */
  after: string | undefined;
  /** Failed requests in a row. */
  failures: number;
  /** Until then, in ms of the clock, single polls may come due that were delayed by the load. */
  until: number;
}

/** A vendor that can be asked about many tasks, and has or had enough of them to need it. */
interface Target {
  readonly provider: string;
  readonly baseUrl: string;
  readonly pollMany: PollMany;
  readonly permit: () => Promise<Permit>;
  readonly liveTasks: number;
  readonly cursor: Cursor;
}

const errorBackoff = { firstMs: 1_000, maxMs: 60_000 } as const;
/** After a stretch of tasks none of which is polled. */
const emptyPauseMs = 200;
const endPauseMs = 1_000;
const shortestPauseMs = 10;

/**
 * Single polls go on beside it, as rarely as the vendor's rate asks for: they find what a list
 * leaves out. The first list of a replica begins anywhere among the tasks, so that replicas do not
 * ask about the same ones.
 */
export function createBatchPoll(ports: BatchPollPorts): BatchPoll {
  const targetOf = createTargetOf(ports);
  const pollNext = createPollNext(ports);
  return async (provider, signal) => {
    for (;;) {
      const target = signal.aborted ? undefined : await targetOf(provider);
      if (target === undefined) return;
      const pauseMs = await pollNext(target, signal);
      // An abort ends the pause.
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
}

/** Undefined when there is no need to poll this provider in batches, or no way to. */
function createTargetOf({
  vendorNamed,
  liveTasks: countLiveTasks,
  clock,
}: BatchPollPorts): (provider: string) => Promise<Target | undefined> {
  const cursors = new Map<string, Cursor>();
  return async (provider) => {
    const { vendor, baseUrl, maxConcurrent } = vendorNamed(provider) ?? {};
    if (
      vendor?.provider.pollMany === undefined ||
      vendor.permitToPollMany === undefined ||
      baseUrl === undefined
    ) {
      return undefined;
    }
    const liveTasks = await countLiveTasks(provider);
    // How many tasks there were before this replica started is unknown, but never more than may be
    // there at once.
    const cursor = cursors.get(provider) ?? {
      after: undefined,
      failures: 0,
      until: lastPollAt(vendor, maxConcurrent ?? 0),
    };
    cursors.set(provider, cursor);
    cursor.until = Math.max(cursor.until, lastPollAt(vendor, liveTasks));
    if (clock.now() >= cursor.until) return undefined;
    return {
      provider,
      baseUrl,
      liveTasks,
      cursor,
      pollMany: vendor.provider.pollMany,
      permit: vendor.permitToPollMany,
    };
  };

  /** When the last single poll is due that so many tasks delay; now when they delay none. */
  function lastPollAt({ pace, requestsPerSecond }: Vendor, liveTasks: number): number {
    const isNeeded = needsBatchPolls({ pace, requestsPerSecond, liveTasks });
    return clock.now() + (isNeeded ? longestPollDelayMs({ liveTasks, requestsPerSecond }) : 0);
  }
}

/** One request about the next tasks; returns how many ms to pause after it. */
function createPollNext(
  ports: BatchPollPorts,
): (target: Target, signal: AbortSignal) => Promise<number> {
  const { clock, polledTasks, onResponse } = ports;
  const recordBatch = createRecordBatch(ports);
  return async (target, signal) => {
    const { cursor, pollMany } = target;
    const { tasks, next } = await nextPage(target);
    if (tasks.length === 0) {
      cursor.after = next ?? '';
      return next === undefined ? endPauseMs : emptyPauseMs;
    }
    const permit = await target.permit();
    if (!permit.granted) return Math.max(permit.afterMs, shortestPauseMs);
    const response = await pollMany.poll(
      tasks.map(({ vendorTaskId }) => vendorTaskId),
      signal,
    );
    onResponse(target.provider, response);
    if (response.kind === 'error') return pauseAfterError(cursor, response);
    // Before the writes: a task that cannot be written must not hold the cursor back.
    const { asked, outcomes } = response;
    cursor.failures = 0;
    cursor.after = (asked < tasks.length ? tasks[asked - 1]?.id : next) ?? '';
    await recordBatch(tasks.slice(0, asked), outcomes);
    return 0;
  };

  function nextPage(target: Target): ReturnType<Work['polledTasks']> {
    const { after } = target.cursor;
    return polledTasks(target, {
      after: after ?? '',
      skip: after === undefined ? Math.floor(clock.random() * target.liveTasks) : 0,
      limit: target.pollMany.maxIds,
    });
  }

  function pauseAfterError(
    cursor: Cursor,
    { retryAfterMs = 0 }: Extract<PollManyOutcome, { kind: 'error' }>,
  ): number {
    cursor.failures += 1;
    return Math.max(retryAfterMs, backoffDelayMs(errorBackoff, cursor.failures, clock.random()));
  }
}
