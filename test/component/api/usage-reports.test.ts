import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createMetering } from '@gateway/store';
import { storiesOf } from '../../integration/store/stories.ts';
import { aSavedBatch, aUsageRecord, units } from '../../integration/store/usage.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await api.close();
});

const dayMs = 86_400_000;
const dayAgo = (days: number): string =>
  new Date(Date.now() - days * dayMs).toISOString().slice(0, 10);
const aReader = (scopes = ['billing:read']) => api.aKey({ scopes, quota: 10_000 });
const get = (query: string, key: string) =>
  request(api.url).get(`/v1/usage?${query}`).set('x-api-key', key);

async function used(accountId: string, keyId: string) {
  const yesterday = dayAgo(1);
  const records = ['10:59:59.999', '11:00:00.000', '11:30:00.000'].map((time) =>
    aUsageRecord(accountId, {
      key_id: keyId,
      started_at: `${yesterday}T${time}Z`,
      cost_nano: units(1),
    }),
  );
  const batch = await aSavedBatch(api.database, records);
  await createMetering(api.database).apply(batch.id);
  return yesterday;
}

describe('GET /v1/usage by hour', () => {
  it('has an item for each hour in which something was used', async () => {
    const { apiKey, accountId, keyId } = await aReader();
    const day = await used(accountId, keyId);
    await storiesOf(api.database, accountId).succeeded(3);

    const { body } = await get(`by=hour&from=${day}`, apiKey).expect(200);

    expect(body).toMatchObject({
      from: day,
      to: dayAgo(0),
      data: [
        { day, hour: `${day}T10:00:00Z`, kind: 'text', key_id: keyId, requests: 1, quota: 1 },
        { day, hour: `${day}T11:00:00Z`, kind: 'text', key_id: keyId, requests: 2, quota: 2 },
        { day: dayAgo(0), kind: 'video', requests: 1, seconds: 3 },
      ],
    });
    const { body: byDay } = await get(`from=${day}`, apiKey).expect(200);
    expect(byDay).toMatchObject({ data: [{ day, requests: 3 }, { requests: 1 }] });
    expect(JSON.stringify(byDay)).not.toContain('hour');
  });

  it('covers two days unless asked otherwise', async () => {
    const { apiKey } = await aReader();
    const { body } = await get('by=hour', apiKey).expect(200);
    expect(body).toMatchObject({ from: dayAgo(1), to: dayAgo(0), data: [] });
  });

  it.each([
    [`by=hour&from=${dayAgo(7)}`, 'from'],
    [`by=hour&from=${dayAgo(32)}&to=${dayAgo(31)}`, 'from'],
    ['by=minute', 'by'],
    ['format=xml', 'format'],
  ])('refuses %s', async (query, param) => {
    const { apiKey } = await aReader();
    const { body } = await get(query, apiKey).expect(400);
    expect(body).toMatchObject({ error: { code: 'invalid_parameter', param } });
  });
});

describe('GET /v1/usage as CSV', () => {
  it('is a file with a line for each item', async () => {
    const { apiKey, accountId, keyId } = await aReader();
    const day = await used(accountId, keyId);
    const response = await get(`format=csv&from=${day}&to=${day}`, apiKey).expect(200);
    expect(response.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(response.headers['content-disposition']).toBe(
      `attachment; filename="usage-${day}-${day}.csv"`,
    );
    const [names, line, rest] = response.text.split('\r\n');
    expect(names).toBe(
      'day,model,key_id,kind,requests,input_tokens,cached_input_tokens,cache_write_tokens,cache_write_1h_tokens,output_tokens,server_tool_uses,estimated_requests,aborted_requests,seconds,quota',
    );
    expect(line).toBe(`${day},sandbox-chat,${keyId},text,3,180,30,15,0,120,0,0,0,0,3`);
    expect(rest).toBe('');

    const byHour = await get(`by=hour&format=csv&from=${day}&to=${day}`, apiKey).expect(200);
    expect(byHour.text).toContain(`\r\n${day},${day}T11:00:00Z,sandbox-chat,`);
  });

  it('quotes names, and lets no spreadsheet calculate them', async () => {
    const { apiKey, accountId, keyId } = await aReader();
    const started = `${dayAgo(1)}T10:00:00Z`;
    const batch = await aSavedBatch(api.database, [
      aUsageRecord(accountId, { key_id: keyId, started_at: started, model: '=1+"2",3' }),
    ]);
    await createMetering(api.database).apply(batch.id);
    const { text } = await get('format=csv', apiKey).expect(200);
    expect(text).toContain(`,"'=1+""2"",3",`);
  });

  it('is empty where nothing was used', async () => {
    const { apiKey } = await aReader();
    expect((await get('format=csv', apiKey).expect(200)).text).toBe('');
  });
});
