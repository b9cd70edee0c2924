import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '@gateway/runtime';
import got from 'got';
import type { Task } from './task.ts';

/**
 * Documented: without a good response within 5 s the last statuses are sent up to three times more.
 */
const resends = 3;
const resentStatuses: readonly Task['status'][] = ['succeeded', 'failed'];

export interface CallbackSender {
  /**
   * Posts the task as it is now to its callback address, after everything sent for it before. Never
   * throws.
   */
  send(task: Task): void;
  stats(): { readonly sent: number; readonly answered: number; readonly failed: number };
  /** Gives up what is under way. */
  abandon(): void;
}

interface CallbackSenderOptions {
  readonly timeoutMs: number;
  readonly resendAfterMs: number;
  /** A task in its vendor's words. */
  readonly show: (task: Task) => object;
  readonly log: Log;
}

export function createCallbackSender({
  timeoutMs,
  resendAfterMs,
  show,
  log,
}: CallbackSenderOptions): CallbackSender {
  const counts = { sent: 0, answered: 0, failed: 0 };
  const lastOf = new Map<string, Promise<void>>();
  let ending = new AbortController();

  const deliver = async (url: string, task: Task, signal: AbortSignal): Promise<void> => {
    const body = show(task);
    const attempts = resentStatuses.includes(task.status) ? 1 + resends : 1;
    for (let attempt = 1; attempt <= attempts; attempt += 1) {
      if (attempt > 1) await pause(resendAfterMs, undefined, { signal, ref: false });
      counts.sent += 1;
      const taken = await post(url, body, { timeoutMs, signal });
      signal.throwIfAborted();
      if (!taken) continue;
      counts.answered += 1;
      return;
    }
    counts.failed += 1;
    log.warn('a callback was not accepted', { taskId: task.id, status: task.status, attempts });
  };

  return {
    send(task) {
      const { callbackUrl } = task;
      if (callbackUrl === undefined) return;
      const { signal } = ending;
      const turn = (lastOf.get(task.id) ?? Promise.resolve())
        .then(() => deliver(callbackUrl, task, signal))
        .catch(() => undefined) // given up at a reset or a stop
        .then(() => {
          if (lastOf.get(task.id) === turn) lastOf.delete(task.id);
        });
      lastOf.set(task.id, turn);
    },
    stats: () => ({ ...counts }),
    abandon() {
      ending.abort();
      ending = new AbortController();
      lastOf.clear();
      Object.assign(counts, { sent: 0, answered: 0, failed: 0 });
    },
  };
}

/** Whether the receiver took it. One that cannot be reached counts like one that responds badly. */
async function post(
  url: string,
  body: object,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<boolean> {
  try {
    const { statusCode } = await got.post(url, {
      json: body,
      timeout: { request: timeoutMs },
      retry: { limit: 0 },
      followRedirect: false,
      throwHttpErrors: false,
      signal,
    });
    // got's own `ok` is true for redirects that are not followed
    return statusCode >= 200 && statusCode < 300;
  } catch {
    return false;
  }
}
