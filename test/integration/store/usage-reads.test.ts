import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createMetering, createUsageReads, type UsageDay, type UsageReads } from '@gateway/store';
import { anAccount, openTestDatabase, type TestDatabase } from '@gateway/testing';
import { storiesOf } from './stories.ts';
import { aSavedBatch, aUsageRecord, units } from './usage.ts';

let test: TestDatabase;
let reads: UsageReads;
let accountId: string;
const [keyA, keyB] = ['key_01h455vb4pex5vsknk084sn02a', 'key_01h455vb4pex5vsknk084sn02b'];
beforeAll(async () => {
  test = await openTestDatabase();
  reads = createUsageReads(test.database);
  accountId = (await anAccount(test.database)).id;
  const other = (await anAccount(test.database)).id;
  const on = (day: string, time = '12:00:00.000') => ({
    started_at: `${day}T${time}Z`,
    key_id: keyA,
  });
  const batch = await aSavedBatch(test.database, [
    aUsageRecord(accountId, {
      ...on('2026-11-20', '00:00:00.000'),
      cost_nano: units(1.25),
      cache_write_1h_tokens: 3,
      server_tool_uses: 2,
    }),
    aUsageRecord(accountId, {
      ...on('2026-11-20', '23:59:59.999'),
      cost_nano: units(0.5),
      estimated: true,
      outcome: 'aborted',
    }),
    aUsageRecord(accountId, { ...on('2026-11-20'), key_id: keyB, model: 'sandbox-messages' }),
    aUsageRecord(accountId, { ...on('2026-11-21', '00:00:00.000') }),
    aUsageRecord(accountId, { ...on('2026-11-19', '23:59:59.999') }),
    aUsageRecord(other, on('2026-11-20')),
  ]);
  await createMetering(test.database).apply(batch.id);
  const stories = storiesOf(test.database, accountId);
  const tasks = [
    await stories.succeeded(3, { keyId: keyA }),
    await stories.succeeded(5, { keyId: keyA }),
    await stories.ended('failed', { keyId: keyA }),
  ];
  await stories.running({ keyId: keyA });
  await test.database.pool.query(
    `UPDATE task SET completed_at = '2026-11-20T10:00:00Z' WHERE id = ANY($1)`,
    [tasks.map(({ id }) => id)],
  );
});
afterAll(() => test.close());

const tokens = { inputTokens: 60, cachedInputTokens: 10, cacheWriteTokens: 5, outputTokens: 40 };
const none = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  cacheWrite1hTokens: 0,
  outputTokens: 0,
  serverToolUses: 0,
};
const videos: UsageDay = {
  day: '2026-11-20',
  model: 'sandbox-video',
  keyId: keyA,
  kind: 'video',
  requests: 3,
  ...none,
  estimatedRequests: 0,
  abortedRequests: 0,
  seconds: 8,
  quota: 80,
};
const twoTexts: UsageDay = {
  day: '2026-11-20',
  model: 'sandbox-chat',
  keyId: keyA,
  kind: 'text',
  requests: 2,
  inputTokens: 120,
  cachedInputTokens: 20,
  cacheWriteTokens: 10,
  cacheWrite1hTokens: 3,
  outputTokens: 80,
  serverToolUses: 2,
  estimatedRequests: 1,
  abortedRequests: 1,
  seconds: 0,
  quota: 1.75,
};
const otherText: UsageDay = {
  ...twoTexts,
  model: 'sandbox-messages',
  keyId: keyB,
  requests: 1,
  ...tokens,
  cacheWrite1hTokens: 0,
  serverToolUses: 0,
  estimatedRequests: 0,
  abortedRequests: 0,
  quota: 0,
};

describe('usage by day', () => {
  it('sums text and video of each model and key, by days in UTC, and of this account only', async () => {
    await expect(reads.byDay({ accountId, from: '2026-11-20', to: '2026-11-20' })).resolves.toEqual(
      [twoTexts, otherText, videos],
    );
  });

  it('has both days that were named, in order', async () => {
    const days = await reads.byDay({
      accountId,
      from: '2026-11-19',
      to: '2026-11-21',
      model: 'sandbox-chat',
    });

    expect(days.map(({ day, requests }) => [day, requests])).toEqual([
      ['2026-11-19', 1],
      ['2026-11-20', 2],
      ['2026-11-21', 1],
    ]);
  });

  it.each<[string, object, UsageDay[]]>([
    ['one model', { model: 'sandbox-messages' }, [otherText]],
    ['one key', { keyId: keyB }, [otherText]],
    ['videos', { model: 'sandbox-video' }, [videos]],
    ['a key that does not exist', { keyId: 'key_x' }, []],
  ])('may be that of %s', async (_case, filter, expected) => {
    await expect(
      reads.byDay({ accountId, from: '2026-11-20', to: '2026-11-20', ...filter }),
    ).resolves.toEqual(expected);
  });

  it('is nothing for an account that used nothing', async () => {
    await expect(
      reads.byDay({ accountId: 'acct_unknown', from: '2026-11-20', to: '2026-11-20' }),
    ).resolves.toEqual([]);
  });
});
