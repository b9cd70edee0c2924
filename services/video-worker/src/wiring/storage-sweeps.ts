import type { MediaStorage } from '@gateway/media';
import { Counter, intervalPart, type Log, type Part, type Registry } from '@gateway/runtime';
import { createRetention, type Database } from '@gateway/store';
import type { Settings } from '../config.ts';
import { createPurgeMedia } from '../use-cases/purge-media.ts';
import { createSweepStorage } from '../use-cases/sweep-storage.ts';

export interface StorageSweepsOptions {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  readonly storage: MediaStorage;
  readonly metrics: Registry;
  readonly log: Log;
}

/**
 * Keeps the storage to what the rows say: no file beyond its retention time, none that a crash has
 * left.
 */
export function storageSweepParts({
  settings,
  database,
  storage,
  metrics,
  log,
}: StorageSweepsOptions): Part[] {
  const { purged, swept } = sweepCounters(metrics);
  const { findOrphans, ...retention } = createRetention(database);
  const purge = createPurgeMedia({
    ...retention,
    deleteFile: storage.delete,
    onPurged: (tasks) => {
      purged.inc(tasks);
    },
  });
  const sweep = createSweepStorage({
    findOrphans,
    list: storage.list,
    deleteFile: storage.delete,
    sweepUnfinished: storage.sweepUnfinished,
    now: Date.now,
    olderThanMs: settings.STORAGE_SWEEP_AFTER_SECONDS * 1000,
    onRemoved(kind, count) {
      swept.inc({ kind }, count);
      if (count > 0) log.warn('files that a crash had left were removed', { kind, count });
    },
  });
  return [
    intervalPart({ name: 'purge media', everyMs: settings.RETENTION_SWEEP_MS, work: purge, log }),
    intervalPart({ name: 'sweep storage', everyMs: settings.STORAGE_SWEEP_MS, work: sweep, log }),
  ];
}

function sweepCounters(metrics: Registry): { purged: Counter; swept: Counter<'kind'> } {
  const registers = [metrics];
  return {
    purged: new Counter({
      name: 'gateway_media_purged_total',
      help: 'Tasks whose media were removed after their retention period.',
      registers,
    }),
    swept: new Counter({
      name: 'gateway_storage_swept_total',
      help: 'Files that a crash had left in the storage and that were removed.',
      labelNames: ['kind'],
      registers,
    }),
  };
}
