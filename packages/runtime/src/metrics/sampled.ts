import { describeError } from '@gateway/domain';
import { intervalPart } from '../lifecycle/interval.ts';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import type { Gauge } from './metrics.ts';

export interface SampledGaugesOptions {
  /** What is read, for the log. */
  readonly name: string;
  /** Sets the gauges. */
  readonly read: () => Promise<void>;
  readonly gauges: readonly Pick<Gauge, 'reset'>[];
  readonly log: Log;
  /** Default: as often as Prometheus usually looks. */
  readonly everyMs?: number;
}

const usualEveryMs = 15_000;

/**
 * Gauges that cost a question to a store: asked every now and then, not by each scrape. A failed
 * look leaves no sample: an old figure would look like a new one.
 */
export function sampledGauges({
  name,
  read,
  gauges,
  log,
  everyMs = usualEveryMs,
}: SampledGaugesOptions): Part {
  return intervalPart({
    name,
    everyMs,
    log,
    async work() {
      try {
        await read();
      } catch (error) {
        for (const gauge of gauges) gauge.reset();
        log.warn('figures for /metrics could not be read', {
          figures: name,
          reason: describeError(error),
        });
      }
    },
  });
}
