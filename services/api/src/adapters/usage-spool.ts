import { constants } from 'node:fs';
import { access, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { UsageBatch } from '@gateway/contracts';
import { isId } from '@gateway/domain';
import { intervalPart, type Log, type Part } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';

export interface UsageSpoolOptions {
  /** Outlives the process, and is this installation's alone; any number of replicas may share it. */
  readonly folder: string;
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
 * A file a batch, under the batch's id, complete or not there. Whoever finds it saves it and then
 * removes it; a kill in between, or another replica at the same time, saves the same batch again,
 * which changes nothing, and each of its records is charged once.
 */
export function createUsageSpool({
  folder,
  save,
  wake,
  log,
  everyMs = 10_000,
}: UsageSpoolOptions): UsageSpool {
  const unreadable = new Set<string>();
  const replay = async (): Promise<void> => {
    for (const name of await readdir(folder)) {
      const id = path.basename(name, '.json');
      if (!name.endsWith('.json') || !isId('usageBatch', id) || unreadable.has(name)) continue;
      const batch = await readBatch(path.join(folder, name), id);
      if (batch === 'gone') continue;
      if (batch === undefined) {
        unreadable.add(name);
        log.error('spooled text usage cannot be read', { file: path.join(folder, name) });
        continue;
      }
      // What was written while these requests ran goes with the same statement.
      await save(
        batch,
        batch.records.map((record) => record.id),
      );
      wake(id);
      await rm(path.join(folder, name), { force: true });
      log.info('spooled text usage saved', { batchId: id, records: batch.records.length });
    }
  };
  const sweep = intervalPart({ name: 'spooled text usage', everyMs, work: replay, log });
  return {
    keep: (batch) => writeBatch(folder, batch),
    part: {
      ...sweep,
      async start() {
        try {
          await mkdir(folder, { recursive: true });
          await access(folder, constants.W_OK);
        } catch (error) {
          throw new Error(
            `USAGE_SPOOL_DIR ${folder} cannot be written (${codeOf(error) ?? 'unknown error'}): name a folder that the api may write to, or leave it out.`,
            { cause: error },
          );
        }
        await sweep.start?.();
      },
    },
  };
}

async function writeBatch(folder: string, batch: UsageBatch): Promise<void> {
  const whole = path.join(folder, `${batch.id}.json`);
  const partly = `${whole}.${process.pid}.tmp`;
  const file = await open(partly, 'w', 0o600);
  try {
    await file.writeFile(JSON.stringify(batch));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(partly, whole);
  const entries = await open(folder, 'r');
  try {
    await entries.sync();
  } finally {
    await entries.close();
  }
}

/** `gone`: another replica was faster. Undefined: not what this gateway wrote. */
async function readBatch(file: string, id: string): Promise<UsageBatch | 'gone' | undefined> {
  try {
    const batch = JSON.parse(await readFile(file, 'utf8')) as Partial<UsageBatch> | null;
    return batch?.id === id && isRecords(batch.records)
      ? { id, records: batch.records }
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if (codeOf(error) === 'ENOENT') return 'gone';
    throw error;
  }
}

const codeOf = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException | null)?.code;

const isRecords = (records: unknown): records is UsageBatch['records'] =>
  Array.isArray(records) &&
  records.length > 0 &&
  records.every((record) => isId('usage', (record as { id?: string } | null)?.id ?? ''));
