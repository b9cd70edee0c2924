import { backoffDelayMs, describeError } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { NewStoredResponse, StoredResponses } from '@gateway/store';
import type { StoredResponseMetrics } from './metrics.ts';
import type { ResponseQueue } from './response-queue.ts';

export interface ResponseWriterOptions {
  readonly store: Pick<StoredResponses, 'keep' | 'trim'>;
  readonly queue: ResponseQueue;
  readonly maxAccountBytes: number;
  /** How long a response may wait for others. */
  readonly flushMs: number;
  readonly stopWithinMs: number;
  readonly metrics: StoredResponseMetrics;
  readonly log: Log;
}

export interface ResponseWriter {
  /** Something was added to the queue. */
  wake(): void;
  /** Resolves when the write that is under way is over, however it ended. */
  settled(): Promise<void>;
  /** Writes what is left, as far as there is time. */
  stop(): Promise<void>;
}

const batch = { most: 200, mostBytes: 4_194_304 };
const backoff = { firstMs: 100, maxMs: 5_000 };
/** With the pauses between them about 20 s. */
const maxFailures = 10;

/**
 * Writes the queue in batches, one at a time: a service has one connection for it. After a failure
 * responses are written one by one until a write succeeds, so that one that cannot be written takes
 * no others along.
 */
export function createResponseWriter(options: ResponseWriterOptions): ResponseWriter {
  const { queue, flushMs, stopWithinMs, metrics, log } = options;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failures = 0;
  let isStopped = false;

  const writeBatch = async (): Promise<void> => {
    const responses = queue.take(failures === 0 ? batch : { ...batch, most: 1 });
    try {
      await options.store.keep(responses);
    } catch (error) {
      failures += 1;
      giveUp(queue.putBack(maxFailures), error, { metrics, log });
      if (failures === 1) {
        log.warn('responses not kept, will be retried', {
          waiting: queue.size,
          reason: describeError(error),
        });
      }
      return;
    }
    failures = 0;
    queue.settle();
    metrics.stored('kept', responses.length);
    await trim(options, responses);
  };
  const write = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    writing ??= writeBatch().then(() => {
      writing = undefined;
      schedule();
    });
    return writing;
  };
  const schedule = (): void => {
    if (queue.size === 0 || writing !== undefined || isStopped) return;
    const pauseMs = failures === 0 ? flushMs : backoffDelayMs(backoff, failures, Math.random());
    timer ??= setTimeout(() => void write(), pauseMs);
  };
  return {
    wake: schedule,
    settled: () => writing ?? Promise.resolve(),
    async stop() {
      isStopped = true;
      const by = performance.now() + stopWithinMs;
      while (queue.size > 0 && performance.now() < by) {
        await Promise.race([write(), pause(by - performance.now())]);
        if (failures > 0) await pause(Math.min(100, Math.max(by - performance.now(), 0)));
      }
      clearTimeout(timer);
      if (queue.size === 0) return;
      metrics.stored('failed', queue.size);
      log.error('responses not kept: the service stopped while the database was unavailable', {
        count: queue.size,
      });
    },
  };
}

function giveUp(
  responses: readonly NewStoredResponse[],
  error: unknown,
  { metrics, log }: Pick<ResponseWriterOptions, 'metrics' | 'log'>,
): void {
  if (responses.length === 0) return;
  metrics.stored('failed', responses.length);
  log.error('responses not kept', {
    responseIds: responses.map(({ responseId }) => responseId),
    reason: describeError(error),
  });
}

/** What could not be removed now is removed with the account's next responses. */
async function trim(
  { store, maxAccountBytes, metrics, log }: ResponseWriterOptions,
  responses: readonly NewStoredResponse[],
): Promise<void> {
  const accountIds = [...new Set(responses.map(({ accountId }) => accountId))];
  try {
    const removed = await store.trim(accountIds, maxAccountBytes);
    if (removed > 0) metrics.removed('account_limit', removed);
  } catch (error) {
    log.warn('no room made for responses', { reason: describeError(error) });
  }
}

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
