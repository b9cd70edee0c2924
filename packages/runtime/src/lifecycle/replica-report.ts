import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ReplicaFacts } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { Log } from '../log.ts';
import { version } from '../metrics/metrics.ts';
import { intervalPart } from './interval.ts';
import type { Part } from './part.ts';

export interface ReplicaReportOptions {
  readonly service: string;
  /** Unique among the replicas that live at one time; one of its own, when left out. */
  readonly id?: string;
  readonly facts?: () => ReplicaFacts;
  readonly reports: {
    note(report: {
      readonly id: string;
      readonly service: string;
      readonly version: string;
      readonly facts: ReplicaFacts;
    }): Promise<void>;
    leave(id: string): Promise<void>;
  };
  readonly log: Log;
  readonly everyMs?: number;
}

/** A stop waits no longer for a database that is silent: the row is forgotten in any case. */
const goodbyeMs = 1_000;

/**
 * Says that this replica is there, and what it alone knows, for the status that operators read.
 * Nothing depends on it: where the database is away, the service goes on.
 */
export function replicaReportPart({
  service,
  id = randomUUID(),
  facts = () => ({}),
  reports,
  log,
  everyMs = 10_000,
}: ReplicaReportOptions): Part {
  const untold = (error: unknown): void => {
    log.warn('replica not told of in the status', { reason: describeError(error) });
  };
  const beat = intervalPart({
    name: 'tell of this replica',
    everyMs,
    work: () => reports.note({ id, service, version, facts: facts() }).catch(untold),
    log,
  });
  return {
    ...beat,
    async stop() {
      const leaving = beat.stop().then(() => reports.leave(id).catch(untold));
      await Promise.race([leaving, delay(goodbyeMs, undefined, { ref: false })]);
    },
  };
}
