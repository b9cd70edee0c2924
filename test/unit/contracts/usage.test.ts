import { describe, expect, it } from '@jest/globals';
import { createAjv, usageRecordSchema, type UsageRecord } from '@gateway/contracts';
import { maxCostNano } from '@gateway/domain';
import { aUsageRecord } from '../../integration/store/usage.ts';

const validate = createAjv().compile(usageRecordSchema);
const record: UsageRecord = aUsageRecord('acct_01h455vb4pex5vsknk084sn02q');

describe('a usage record', () => {
  it.each<[string, Partial<UsageRecord>]>([
    ['an ordinary response', {}],
    ['a response that never began', { first_byte_ms: null, outcome: 'failed', status: 502 }],
    ['the greatest cost', { cost_nano: String(maxCostNano) }],
    ['a start without milliseconds', { started_at: '2026-11-21T12:00:00Z' }],
  ])('is taken for %s', (_case, change) => {
    expect(validate({ ...record, ...change })).toBe(true);
  });

  it.each<[string, object]>([
    ['an id of another kind', { id: record.account_id }],
    ['no account', { account_id: '' }],
    ['a key of another kind', { key_id: 'k' }],
    ['another dialect', { dialect: 'graphs' }],
    ['another dialect of its upstream', { upstream_dialect: 'graphs' }],
    ['another outcome', { outcome: 'lost' }],
    ['broken tokens', { input_tokens: 0.5 }],
    ['negative tokens', { output_tokens: -1 }],
    ['a cost as a number', { cost_nano: 5 }],
    ['a negative cost', { cost_nano: '-5' }],
    ['a broken cost', { cost_nano: '0.5' }],
    ['a cost with zeros before it', { cost_nano: '005' }],
    ['a cost that the ledger cannot hold', { cost_nano: '1'.repeat(26) }],
    ['a start in another zone', { started_at: '2026-11-21T12:00:00+01:00' }],
    ['a broken duration', { duration_ms: 1.5 }],
    ['an endless model', { model: 'x'.repeat(257) }],
    ['a field too many', { prompt: 'hello' }],
    ...Object.keys(record).map((field): [string, object] => [
      `no ${field}`,
      { [field]: undefined },
    ]),
  ])('is refused with %s', (_case, change) => {
    expect(validate(JSON.parse(JSON.stringify({ ...record, ...change })))).toBe(false);
  });
});
