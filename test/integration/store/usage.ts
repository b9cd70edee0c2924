import type { UsageBatch, UsageRecord } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { createUsageOutbox, type Database } from '@gateway/store';

/** What the api writes for one streamed response of 100 tokens; override what the test is about. */
export function aUsageRecord(accountId: string, overrides: Partial<UsageRecord> = {}): UsageRecord {
  return {
    id: newId('usage'),
    account_id: accountId,
    key_id: 'key_01h455vb4pex5vsknk084sn02q',
    request_id: 'req_test',
    model: 'sandbox-chat',
    provider: 'sandbox-chat',
    upstream_model: 'sandbox-chat',
    dialect: 'chat',
    upstream_dialect: 'messages',
    stream: true,
    outcome: 'succeeded',
    status: 200,
    input_tokens: 60,
    cached_input_tokens: 10,
    cache_write_tokens: 5,
    output_tokens: 40,
    reasoning_tokens: 7,
    estimated: false,
    cost_nano: '0',
    started_at: '2026-11-21T12:00:00.000Z',
    duration_ms: 1_200,
    first_byte_ms: 80,
    cache_write_1h_tokens: 0,
    server_tool_uses: 0,
    service_tier: null,
    lease_id: null,
    ...overrides,
  };
}

/** A batch in the outbox: one record for each cost, in nano-quota. */
export async function aSavedBatch(
  database: Database,
  records: readonly UsageRecord[],
): Promise<UsageBatch> {
  const batch = { id: newId('usageBatch'), records };
  await createUsageOutbox(database).save(batch);
  return batch;
}

/** Nano-quota in figures of whole units. */
export const units = (quota: number): string =>
  String(BigInt(Math.round(quota * 1_000)) * 1_000_000n);
