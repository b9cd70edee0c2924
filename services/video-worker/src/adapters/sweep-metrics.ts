import { Counter, Gauge, type Log, type Registry } from '@gateway/runtime';
import type { SweepStop, SweepStoragePorts } from '../use-cases/sweep-storage.ts';

export interface SweepMetrics {
  readonly purged: (tasks: number) => void;
  readonly removed: SweepStoragePorts['onRemoved'];
  readonly round: SweepStoragePorts['onRound'];
  readonly missing: SweepStoragePorts['onMissing'];
}

const remedies: Readonly<Record<SweepStop, string>> = {
  unclaimed: 'npm run admin -- storage adopt',
  foreign: 'check DATABASE_URL and the settings of the media storage',
  too_many: 'npm run admin -- storage orphans, then storage allow',
};
const toldOfMissing = 10;

/** What the worker tells of the files that it removes, of those that it leaves, and of those that are missing. */
export function createSweepMetrics(metrics: Registry, log: Log): SweepMetrics {
  return {
    ...removals(metrics, log),
    round: rounds(metrics, log),
    missing: missingFiles(metrics, log),
  };
}

function removals(metrics: Registry, log: Log): Pick<SweepMetrics, 'purged' | 'removed'> {
  const registers = [metrics];
  const purged = new Counter({
    name: 'gateway_media_purged_total',
    help: 'Tasks whose media were removed after their retention period.',
    registers,
  });
  const swept = new Counter({
    name: 'gateway_storage_swept_total',
    help: 'Files that a crash had left in the storage and that were removed.',
    labelNames: ['kind'],
    registers,
  });
  return {
    purged: (tasks) => {
      purged.inc(tasks);
    },
    removed(kind, count) {
      swept.inc({ kind }, count);
      if (count > 0) log.warn('files that a crash had left were removed', { kind, count });
    },
  };
}

function rounds(metrics: Registry, log: Log): SweepMetrics['round'] {
  const registers = [metrics];
  const files = new Gauge({
    name: 'gateway_storage_files',
    help: 'Files of tasks at the last search of the storage: all, due to be swept, or of unknown tasks.',
    labelNames: ['kind'],
    registers,
  });
  const stopped = new Gauge({
    name: 'gateway_storage_sweep_stopped',
    help: '1 while the search of the storage deletes nothing, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const show = (stop: SweepStop | undefined): void => {
    for (const reason of Object.keys(remedies)) stopped.set({ reason }, reason === stop ? 1 : 0);
  };
  show(undefined);
  return ({ files: all, due, unknown }, stop) => {
    files.set({ kind: 'all' }, all);
    files.set({ kind: 'due' }, due);
    files.set({ kind: 'unknown' }, unknown);
    show(stop);
    if (stop === undefined) return;
    log.error('the sweep of the storage deletes nothing until somebody has looked', {
      reason: stop,
      files: all,
      due,
      unknown,
      remedy: remedies[stop],
    });
  };
}

function missingFiles(metrics: Registry, log: Log): SweepMetrics['missing'] {
  const missing = new Gauge({
    name: 'gateway_storage_missing_files',
    help: 'Files that rows name and that the last search of the storage did not find, up to 1,000.',
    registers: [metrics],
  });
  return (named) => {
    missing.set(named.length);
    if (named.length === 0) return;
    log.error('files that rows name are not in the storage', {
      count: named.length,
      first: named.slice(0, toldOfMissing).map(({ id }) => id),
      remedy: 'npm run admin -- storage verify',
    });
  };
}
