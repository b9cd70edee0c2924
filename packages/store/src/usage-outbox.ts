import type { UsageBatch } from '@gateway/contracts';
import type { Database } from './database.ts';

/** The api's side of metering: usage is safe from here on, whatever becomes of queues and processes. */
export interface UsageOutbox {
  /** Saves a batch; the same batch again is a no-op. */
  save(batch: UsageBatch): Promise<void>;
}

export function createUsageOutbox({ pool }: Database): UsageOutbox {
  return {
    async save({ id, records }) {
      await pool.query({ name: 'save-usage', text: 'INSERT INTO usage_batch (id, records) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING', values: [id, JSON.stringify(records)] });
    },
  };
}
