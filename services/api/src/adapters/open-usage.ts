import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';
import { createSavedUsage } from './saved-usage.ts';

export interface OpenUsageOptions {
  /** Writes records of running requests and renews the lease on all that were written before. */
  readonly keepOpen: (records: readonly UsageRecord[]) => Promise<void>;
  readonly save: UsageOutbox['save'];
  readonly findOpen: UsageOutbox['findOpen'];
  readonly log: Log;
  /**
   * How often the lease is renewed while nothing changes; well below USAGE_LEASE_SECONDS of
   * billing.
   */
  readonly renewMs?: number;
  /** A write that takes longer is abandoned and repeated. */
  readonly respondWithinMs?: number;
}

/**
 * Usage of requests that are still running, kept where billing finds it should this process be
 * killed.
 */
export interface OpenUsage {
  /** Called about once a second with what changed; never throws and never waits. */
  keep(changed: readonly UsageRecord[]): void;
  /** Notes that the request has ended; its final record follows. */
  end(id: string): void;
  /**
   * Saves final records and deletes the open ones in the same statement: those of this process that
   * may be there, or those with the ids in `closed`.
   */
  save(batch: UsageBatch, closed?: readonly string[]): Promise<void>;
}

/**
 * One write at a time. Records that could not be written go with the next changes; the newest
 * record of a request counts.
 */
export function createOpenUsage({
  keepOpen,
  save,
  findOpen,
  log,
  renewMs = 5_000,
  respondWithinMs = 10_000,
}: OpenUsageOptions): OpenUsage {
  /** Ids that may be in the database, and whether their requests still run. */
  const sent: Sent = new Map();
  const writes = createWrites({ keepOpen, sent, log, respondWithinMs });
  const saved = createSavedUsage({ findOpen, save: saveAndClose, log });

  async function saveAndClose(batch: UsageBatch, closed: readonly string[]): Promise<void> {
    // A row written after its final record would stay forever.
    if (closed.some((id) => sent.has(id))) await writes.underWay();
    await save(batch, closed);
    for (const id of closed) sent.delete(id);
    saved.note(batch, closed);
  }

  return {
    keep(changed) {
      saved.check();
      for (const record of changed) writes.unwritten.set(record.id, record);
      const isDue =
        writes.unwritten.size > 0 ||
        (sent.size > 0 && performance.now() - writes.renewedMs() >= renewMs);
      if (isDue) writes.begin();
    },
    end(id) {
      writes.unwritten.delete(id);
      if (sent.has(id)) sent.set(id, 'ended');
    },
    save: (batch, closed = idsAmong(batch, sent)) => saveAndClose(batch, closed),
  };
}

type Sent = Map<string, 'running' | 'ended'>;

interface WritesOptions extends Pick<OpenUsageOptions, 'keepOpen' | 'log'> {
  readonly sent: Sent;
  readonly respondWithinMs: number;
}

interface Writes {
  readonly unwritten: Map<string, UsageRecord>;
  underWay(): Promise<void> | undefined;
  /** When the last one began that was done. */
  renewedMs(): number;
  /** Does nothing while one is under way. */
  begin(): void;
}

/** A write's time grows with its records, and one that takes too long would never get done. */
const recordsAtOnce = 1_000;

/** One at a time, of those that have waited longest. */
function createWrites({ keepOpen, sent, log, respondWithinMs }: WritesOptions): Writes {
  const unwritten = new Map<string, UsageRecord>();
  let writing: Promise<void> | undefined;
  let renewedMs = -Infinity;
  let failures = 0;
  const write = async (records: readonly UsageRecord[]): Promise<void> => {
    const startedMs = performance.now();
    for (const { id } of records) sent.set(id, 'running');
    try {
      await within(keepOpen(records), respondWithinMs);
      renewedMs = startedMs;
      failures = 0;
    } catch (error) {
      failures += 1;
      putBack(records, { unwritten, sent });
      if (failures === 1) {
        log.warn('usage of running text requests not saved, will be retried', {
          waiting: unwritten.size,
          reason: describeError(error),
        });
      }
    }
    writing = undefined;
    // Records that arrived meanwhile; after a failure the next call is soon enough.
    if (failures === 0 && unwritten.size > 0) begin();
  };
  function begin(): void {
    if (writing !== undefined) return;
    const records = [...unwritten.values()].slice(0, recordsAtOnce);
    for (const { id } of records) unwritten.delete(id);
    writing = write(records);
  }
  return { unwritten, underWay: () => writing, renewedMs: () => renewedMs, begin };
}

const idsAmong = ({ records }: UsageBatch, sent: ReadonlyMap<string, unknown>): string[] =>
  records.map(({ id }) => id).filter((id) => sent.has(id));

interface Kept {
  readonly unwritten: Map<string, UsageRecord>;
  readonly sent: ReadonlyMap<string, 'running' | 'ended'>;
}

/** Records of requests that still run go with the next write, unless newer ones wait already. */
function putBack(records: readonly UsageRecord[], { unwritten, sent }: Kept): void {
  for (const record of records) {
    if (sent.get(record.id) === 'running' && !unwritten.has(record.id)) {
      unwritten.set(record.id, record);
    }
  }
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no response within ${ms} ms`));
    }, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
