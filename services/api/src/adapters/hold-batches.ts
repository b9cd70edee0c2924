import { mostHoldsTogether, type HoldResponse } from '@gateway/contracts';
import type { HoldAsk, HoldCalls, WaitingAsk } from './hold-calls.ts';

export interface HoldBatchesOptions extends HoldCalls {
  /** Milliseconds of a clock that only goes forward. */
  readonly now: () => number;
  /** A call that takes longer holds nobody up any more. */
  readonly slowAfterMs: number;
}

/** While one is decided another is on its way; more would only be smaller ones. */
const mostUnderWay = 2;
/** Replicas of both versions may be there until an upgrade is over. */
const singlyForMs = 10_000;

/**
 * Asks for holds in one attempt each. Those of one turn of the event loop go to billing in one call,
 * with those that arrived while others were under way, so that a busy replica pays for a call only
 * once for several. Each is told as soon as billing has decided it, and fails by itself. A billing
 * service of the version before, which knows no such call, is asked for each by itself.
 */
export function createHoldBatches({
  askAlone,
  askTogether,
  now,
  slowAfterMs,
}: HoldBatchesOptions): (ask: HoldAsk) => Promise<HoldResponse> {
  let waiting: WaitingAsk[] = [];
  let underWay = 0;
  let isScheduled = false;
  let singlyUntil = -Infinity;
  const alone = (ask: WaitingAsk): Promise<void> => askAlone(ask).then(ask.resolve, ask.reject);
  const each = async (asks: readonly WaitingAsk[]): Promise<void> => {
    await Promise.all(asks.map(alone));
  };
  const together = async (asks: readonly WaitingAsk[]): Promise<void> => {
    if (asks.length === 1 || now() < singlyUntil) return each(asks);
    const outcome = await askTogether(asks);
    if (outcome === 'decided') return;
    if (outcome === 'unknown') singlyUntil = now() + singlyForMs;
    await each(asks);
  };
  const send = (asks: readonly WaitingAsk[]): void => {
    underWay += 1;
    let isCounted = true;
    const leave = (): void => {
      if (!isCounted) return;
      isCounted = false;
      underWay -= 1;
      sendNext();
    };
    const timer = setTimeout(leave, slowAfterMs).unref();
    void together(asks)
      .catch((error: unknown) => {
        for (const { reject } of asks) reject(error as Error);
      })
      .finally(() => {
        clearTimeout(timer);
        leave();
      });
  };
  const sendNext = (): void => {
    while (waiting.length > 0 && underWay < mostUnderWay) {
      const asks = waiting.slice(0, mostHoldsTogether);
      waiting = waiting.slice(mostHoldsTogether);
      send(asks);
    }
  };
  const scheduled = (): void => {
    isScheduled = false;
    sendNext();
  };
  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ...ask, resolve, reject });
      if (isScheduled || underWay === mostUnderWay) return;
      isScheduled = true;
      setImmediate(scheduled);
    });
}
