import path from 'node:path';
import type { UsageBatch } from '@gateway/contracts';
import { isId } from '@gateway/domain';
import { intervalPart, type Log, type Part } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';
import type { SpoolFiles } from './spool-folder.ts';

export interface UsageSpoolOptions {
  /** This installation's alone; any number of replicas may share them. */
  readonly files: SpoolFiles;
  readonly save: UsageOutbox['save'];
  /** Wakes billing for a saved batch; need not succeed: its reconciler finds the batch. */
  readonly wake: (batchId: string) => unknown;
  readonly log: Log;
  /** How often to look for batches that could not be saved before. */
  readonly everyMs?: number;
}

/** Batches of usage on disk, of a replica that the database did not take them from. */
export interface UsageSpool {
  /** Resolves once the batch would survive a loss of power. */
  keep(batch: UsageBatch): Promise<void>;
  /** Saves at the start, and from then on, what is there, whoever left it. */
  readonly part: Part;
}

/**
 * A file a batch, under the batch's id. Whoever finds it saves it and then removes it; a kill in
 * between, or another replica at the same time, saves the same batch again, which changes nothing,
 * and each of its records is charged once.
 */
export function createUsageSpool({
  files,
  save,
  wake,
  log,
  everyMs = 10_000,
}: UsageSpoolOptions): UsageSpool {
  const unreadable = new Set<string>();
  const replay = async (): Promise<void> => {
    for (const name of await files.names()) {
      const id = path.basename(name, '.json');
      if (!name.endsWith('.json') || !isId('usageBatch', id) || unreadable.has(name)) continue;
      const text = await files.read(name);
      // Another replica was faster.
      if (text === undefined) continue;
      const batch = readBatch(text, id);
      if (batch === undefined) {
        unreadable.add(name);
        log.error('spooled text usage cannot be read', { file: files.placeOf(name) });
        continue;
      }
      // What was written while these requests ran goes with the same statement.
      await save(
        batch,
        batch.records.map((record) => record.id),
      );
      wake(id);
      await files.remove(name);
      log.info('spooled text usage saved', { batchId: id, records: batch.records.length });
    }
  };
  const sweep = intervalPart({ name: 'spooled text usage', everyMs, work: replay, log });
  return {
    keep: (batch) => files.write(`${batch.id}.json`, JSON.stringify(batch)),
    part: {
      ...sweep,
      async start() {
        await files.open();
        await sweep.start?.();
      },
    },
  };
}

/** Undefined: not what this gateway wrote. */
function readBatch(text: string, id: string): UsageBatch | undefined {
  try {
    const batch = JSON.parse(text) as Partial<UsageBatch> | null;
    return batch?.id === id && isRecords(batch.records)
      ? { id, records: batch.records }
      : undefined;
  } catch {
    return undefined;
  }
}

const isRecords = (records: unknown): records is UsageBatch['records'] =>
  Array.isArray(records) &&
  records.length > 0 &&
  records.every((record) => isId('usage', (record as { id?: string } | null)?.id ?? ''));
