import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import { newId, type Log } from '@gateway/runtime';
import type { UsageOutbox } from '@gateway/store';

export interface SavedUsageOptions {
  readonly findOpen: UsageOutbox['findOpen'];
  /** Saves records and closes the open usage with their ids. */
  readonly save: (batch: UsageBatch, closed: readonly string[]) => Promise<void>;
  readonly log: Pick<Log, 'warn'>;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

/** Usage that was saved, for as long as the database may forget that. */
export interface SavedUsage {
  /** Takes those of a batch that was saved, and closed open usage with these ids. */
  note(batch: UsageBatch, closed: readonly string[]): void;
  /** Looks at those whose time has come; never throws and never waits. */
  check(): void;
}

/** Longer than an asynchronous standby is behind, and than a fail-over takes. */
const afterMs = 60_000;
const recordsAtOnce = 500;
/** A record takes about a kilobyte. Of more than these the oldest are let go, which are the safest. */
const mostNoted = 10_000;

interface Noted {
  readonly record: UsageRecord;
  readonly dueMs: number;
}

/**
 * A standby that takes over without the last commits has open usage of requests that have ended, and no final
 * record of them. Their replica lives, so that nobody else takes it for abandoned: the replica itself looks for
 * it once, a while after the save, and saves the final record again. One that is in the books is not charged again.
 */
export function createSavedUsage({
  findOpen,
  save,
  log,
  nowMs = () => performance.now(),
}: SavedUsageOptions): SavedUsage {
  let noted: Noted[] = [];
  let isChecking = false;
  const saveForgotten = async (records: readonly UsageRecord[]): Promise<void> => {
    const open = new Set(await findOpen(records.map(({ id }) => id)));
    const lost = records.filter(({ id }) => open.has(id));
    if (lost.length === 0) return;
    await save(
      { id: newId('usageBatch'), records: lost },
      lost.map(({ id }) => id),
    );
    log.warn('text usage that the database has forgotten saved again', { records: lost.length });
  };
  const takeDue = (): readonly Noted[] => {
    const now = nowMs();
    if (noted[0] === undefined || noted[0].dueMs > now) return [];
    const later = noted.findIndex(({ dueMs }) => dueMs > now);
    const due = noted.slice(0, Math.min(later < 0 ? noted.length : later, recordsAtOnce));
    noted = noted.slice(due.length);
    return due;
  };
  return {
    note({ records }, closed) {
      const dueMs = nowMs() + afterMs;
      const ids = new Set(closed);
      for (const record of records) if (ids.has(record.id)) noted.push({ record, dueMs });
      if (noted.length > mostNoted) noted = noted.slice(-mostNoted);
    },
    check() {
      if (isChecking) return;
      const due = takeDue();
      if (due.length === 0) return;
      isChecking = true;
      void saveForgotten(due.map(({ record }) => record))
        .catch((error: unknown) => {
          noted = [...due, ...noted];
          log.warn('saved text usage not looked for, will be retried', {
            records: due.length,
            reason: describeError(error),
          });
        })
        .finally(() => {
          isChecking = false;
        });
    },
  };
}
