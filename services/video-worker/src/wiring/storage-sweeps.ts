import { createSeenKeys, findMissing, type FileRemover, type OwnedStorage } from '@gateway/media';
import {
  intervalPart,
  type Log,
  type Part,
  type Registry,
  type SharedClock,
} from '@gateway/runtime';
import {
  createInstallation,
  createNamedFiles,
  createRetention,
  type Database,
} from '@gateway/store';
import type { Settings } from '../config.ts';
import { createPurgeMedia } from '../use-cases/purge-media.ts';
import { createSweepStorage } from '../use-cases/sweep-storage.ts';
import { createSweepMetrics } from '../adapters/sweep-metrics.ts';
import { whenClockIsRight } from './clock.ts';

export interface StorageSweepsOptions {
  readonly settings: Readonly<Settings>;
  readonly database: Database;
  readonly storage: OwnedStorage;
  readonly remover: FileRemover;
  readonly clock: SharedClock;
  readonly metrics: Registry;
  readonly log: Log;
}

/**
 * Keeps the storage to what the rows say: no file beyond its retention time, none that a crash has
 * left, and none missing.
 */
export function storageSweepParts({
  settings,
  database,
  storage,
  remover,
  clock,
  metrics,
  log,
}: StorageSweepsOptions): Part[] {
  const counts = createSweepMetrics(metrics, log);
  const { findOrphans, ...retention } = createRetention(database);
  const purge = createPurgeMedia({
    ...retention,
    removeFile: remover.remove,
    onPurged: counts.purged,
  });
  const named = createNamedFiles(database);
  const sweep = createSweepStorage({
    findOrphans,
    newSeenKeys: createSeenKeys,
    findMissing: (seen) => findMissing(seen, { named, exists: storage.exists }),
    onMissing: counts.missing,
    sweepAllowance: createInstallation(database).sweepAllowance,
    checkOwner: storage.checkOwner,
    list: storage.list,
    removeFile: remover.remove,
    sweepUnfinished: storage.sweepUnfinished,
    now: clock.now,
    limits: {
      afterMs: settings.STORAGE_SWEEP_AFTER_SECONDS * 1000,
      unknownAfterMs:
        Math.max(
          settings.STORAGE_SWEEP_AFTER_SECONDS,
          settings.STORAGE_SWEEP_UNKNOWN_AFTER_SECONDS,
        ) * 1000,
      maxPercent: settings.STORAGE_SWEEP_MAX_PERCENT,
      maxFiles: settings.STORAGE_SWEEP_MAX_FILES,
    },
    onRemoved: counts.removed,
    onRound: counts.round,
  });
  return [
    intervalPart({ name: 'purge media', everyMs: settings.RETENTION_SWEEP_MS, work: purge, log }),
    intervalPart({
      name: 'sweep storage',
      everyMs: settings.STORAGE_SWEEP_MS,
      work: whenClockIsRight(clock, sweep),
      log,
    }),
  ];
}
