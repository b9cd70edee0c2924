import { describeError } from '@gateway/domain';
import type { Log } from '../log.ts';
import { Counter, Gauge, type Registry } from './metrics.ts';

export interface FileDeletions {
  /** Counts every failure, and logs the first one of each file. */
  readonly failed: (failure: {
    readonly key: string;
    readonly error: unknown;
    readonly isFirst: boolean;
  }) => void;
  /** Reports how many files cannot be deleted, whenever Prometheus asks. */
  readonly showStuck: (count: () => number) => void;
}

/** What a service that deletes files tells about those that it cannot delete. */
export function createFileDeletions(metrics: Registry, { warn }: Pick<Log, 'warn'>): FileDeletions {
  const registers = [metrics];
  const failures = new Counter({
    name: 'gateway_storage_deletion_failures_total',
    help: 'Attempts to delete a file that failed.',
    registers,
  });
  return {
    failed({ key, error, isFirst }) {
      failures.inc();
      if (isFirst) {
        warn('file not deleted, tried again with growing pauses', {
          key,
          reason: describeError(error),
        });
      }
    },
    showStuck(count) {
      const gauge = new Gauge({
        name: 'gateway_storage_undeletable_files',
        help: 'Files that could not be deleted and wait to be tried again.',
        registers,
        collect: () => {
          gauge.set(count());
        },
      });
    },
  };
}
