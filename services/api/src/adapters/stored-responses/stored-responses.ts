import { intervalPart, type Log, type Part, type Registry } from '@gateway/runtime';
import type { StoredResponseReads, StoredResponses as Store } from '@gateway/store';
import type { StoredResponses } from '../../text/index.ts';
import { createKeptReads, type KeptReads } from './kept-reads.ts';
import { createStoredResponseMetrics, type StoredResponseMetrics } from './metrics.ts';
import { createResponseIntake, type ResponseIntake } from './response-intake.ts';
import { ResponseQueue, type QueueBounds } from './response-queue.ts';
import { createResponseWriter, type ResponseWriter } from './response-writer.ts';
import { isName } from './write-response.ts';

export interface StoredResponsesOptions {
  readonly store: Store;
  readonly reads: StoredResponseReads;
  /** 0: nothing is kept, and what was kept is gone. */
  readonly retentionHours: number;
  /** The oldest responses of an account with more than this are removed. */
  readonly maxAccountBytes: number;
  readonly metrics: Registry;
  readonly log: Log;
  /** How long a response may wait for others to be written with. */
  readonly flushMs?: number;
  /** How long a stop may take to write what is left. */
  readonly stopWithinMs?: number;
  /** Of what waits. */
  readonly bounds?: QueueBounds;
}

/** What the routes of kept responses need. */
interface ServedResponses extends Pick<KeptReads, 'find' | 'inputPage'> {
  /** False when the account has no such response. */
  remove(response: { readonly accountId: string; readonly responseId: string }): Promise<boolean>;
}

export interface BuiltStoredResponses {
  readonly storedResponses: StoredResponses;
  readonly kept: ServedResponses;
  /** Stop it after everything that keeps responses and before the database. */
  readonly part: Part;
}

const maxResponseBytes = 16_777_216;
const usualBounds: QueueBounds = {
  maxBytes: 50_331_648,
  maxResponses: 20_000,
  maxAccountBytes: 16_777_216,
};
/** Beyond `flushMs` and a write, and beyond a slow write. */
const againMs = [100, 300];
const sweepMs = 60_000;
const sweepWithinMs = 30_000;

/**
 * Keeps finished responses off the path of their requests: in memory until they are written, which
 * takes `flushMs` and the time of a statement. A kill -9 loses what waits.
 */
export function createStoredResponses(options: StoredResponsesOptions): BuiltStoredResponses {
  const { store, retentionHours, maxAccountBytes, log } = options;
  const queue = new ResponseQueue(options.bounds ?? usualBounds);
  const metrics = createStoredResponseMetrics(options.metrics, () => queue.bytes);
  const writer = createResponseWriter({
    store,
    queue,
    maxAccountBytes,
    flushMs: options.flushMs ?? 50,
    stopWithinMs: options.stopWithinMs ?? 3_000,
    metrics,
    log,
  });
  const intake = createResponseIntake({
    queue,
    maxBytes: Math.min(maxResponseBytes, maxAccountBytes),
    taken: writer.wake,
    refused({ accountId, responseId }, reason, error) {
      metrics.stored(reason);
      log.warn('response not kept', { accountId, responseId, reason, ...(error && { error }) });
    },
  });
  const reads = createKeptReads({ ...options, queue, settled: intake.settled, againMs });
  const sweep = createSweep(options, metrics);
  return {
    storedResponses: {
      isOn: retentionHours > 0,
      conversation: reads.conversation,
      items: reads.items,
      keep(response) {
        if (retentionHours > 0) intake.take(response);
      },
    },
    kept: { ...reads, remove: createRemove({ ...options, queue, writer, intake }) },
    part: {
      ...sweep,
      name: 'stored responses',
      async stop() {
        await intake.settled();
        await Promise.all([sweep.stop(), writer.stop()]);
      },
    },
  };
}

const createRemove =
  ({
    store,
    retentionHours: maxAgeHours,
    queue,
    writer,
    intake,
  }: Pick<StoredResponsesOptions, 'store' | 'retentionHours'> & {
    readonly queue: ResponseQueue;
    readonly writer: Pick<ResponseWriter, 'settled'>;
    readonly intake: Pick<ResponseIntake, 'settled'>;
  }): ServedResponses['remove'] =>
  async ({ accountId, responseId }) => {
    if (!isName(responseId)) return false;
    await intake.settled(accountId);
    const removed = queue.remove(accountId, responseId);
    if (removed === 'removed') return true;
    // It is in the database, or back in the queue.
    if (removed === 'under way') {
      await writer.settled();
      if (queue.remove(accountId, responseId) === 'removed') return true;
    }
    return store.remove({ accountId, responseId, maxAgeHours });
  };

/** Removes what has expired in statements that each end soon; what is left waits for the next round. */
function createSweep(
  { store, retentionHours, log }: StoredResponsesOptions,
  metrics: Pick<StoredResponseMetrics, 'removed'>,
): Part {
  let isStopped = false;
  const interval = intervalPart({
    name: 'remove expired responses',
    everyMs: sweepMs,
    async work() {
      const by = performance.now() + sweepWithinMs;
      let count: number;
      do {
        count = await store.removeOlder(retentionHours);
        metrics.removed('expired', count);
      } while (count > 0 && performance.now() < by && !isStopped);
    },
    log,
  });
  return {
    ...interval,
    async stop() {
      isStopped = true;
      await interval.stop();
    },
  };
}
