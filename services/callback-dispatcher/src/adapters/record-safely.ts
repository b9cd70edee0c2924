import type { CallbackRecords } from '@gateway/store';
import { retryWrite, retryWriteAfterMs } from './retry-write.ts';

export interface RecordSafelyOptions {
  readonly records: CallbackRecords;
  readonly afterMs?: readonly number[];
  readonly onFailure: (error: unknown) => void;
  /** The attempt counts, and its row in the log is missing. */
  readonly onUnlogged: (error: unknown) => void;
}

/**
 * Repeats the writing of an outcome for a while, then writes at least what follows from it, without
 * its row in the log.
 */
export function recordSafely({
  records,
  afterMs = retryWriteAfterMs,
  onFailure,
  onUnlogged,
}: RecordSafelyOptions): CallbackRecords['recordAttempt'] {
  const write = retryWrite(records.recordAttempt, { afterMs, onFailure });
  return async (record) => {
    try {
      return await write(record);
    } catch (error) {
      const recorded = await records.recordUnlogged(record);
      onUnlogged(error);
      return recorded;
    }
  };
}
