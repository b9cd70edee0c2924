import type { Slot, Slots } from '@gateway/limits';
import type { Registry } from '@gateway/runtime';
import { createTurnMetrics } from './metrics.ts';
import { ProviderLine, type Abandonable, type WaitOutcome } from './provider-line.ts';

/** The slots of providers with `max_concurrent`, given to accounts in turn once they are scarce. */
export interface ProviderSlots {
  /** A slot, at once where that is known here; none while others wait for one. */
  take(
    provider: string,
    limit: number,
    account: string,
  ): Slot | undefined | Promise<Slot | undefined>;
  /** Waits for one. Never rejects. */
  wait(request: Abandonable, options: WaitOptions): Promise<WaitOutcome>;
  /** Ends what `take` or `wait` gave, once. */
  release(provider: string, account: string, slot: Slot): void;
}

export interface WaitOptions {
  readonly provider: string;
  readonly limit: number;
  readonly account: string;
}

export interface ProviderSlotsOptions {
  readonly slots: Slots;
  readonly metrics: Registry;
  /** How long a request waits; 0: not at all. */
  readonly queueMs: number;
}

/** One queue for each provider and replica. */
export function createProviderSlots({
  slots,
  metrics,
  queueMs,
}: ProviderSlotsOptions): ProviderSlots {
  const lines = new Map<string, ProviderLine>();
  const observed = createTurnMetrics(metrics, () => lines);
  const lineOf = (provider: string, limit: number): ProviderLine => {
    let line = lines.get(provider);
    if (line === undefined) {
      line = new ProviderLine(provider, { slots, observed, queueMs });
      lines.set(provider, line);
    }
    line.limit = limit;
    return line;
  };
  return {
    take: (provider, limit, account) => lineOf(provider, limit).take(account),
    wait: (request, { provider, limit, account }) => lineOf(provider, limit).wait(request, account),
    release(provider, account, slot) {
      lines.get(provider)?.release(account, slot);
    },
  };
}
