import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { APIError } from 'openai';
import request from 'supertest';
import { createStoredResponses, type NewStoredResponse } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { aStoredResponse } from '../../contracts/stored-response.ts';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
let customer: Awaited<ReturnType<ApiUnderTest['aKey']>>;
let openai: OpenAI;
beforeAll(async () => {
  api = await openApi();
  customer = await api.aKey({ scopes: ['text'] });
  openai = clientOf(customer.apiKey);
});
afterAll(async () => {
  await api.close();
});

const clientOf = (apiKey: string, baseURL = `${api.url}/v1`): OpenAI =>
  new OpenAI({ apiKey, baseURL, maxRetries: 0 });

/** As the lane keeps them. */
async function kept(
  options: Partial<Parameters<typeof aStoredResponse>[0]> = {},
): Promise<NewStoredResponse> {
  const response = aStoredResponse({
    accountId: customer.accountId,
    response: { output: [], model: 'm', odd: 'as it was' },
    ...options,
  });
  await createStoredResponses(api.database).keep([response]);
  return response;
}

const send = (
  method: 'get' | 'post' | 'delete' | 'patch',
  path: string,
  apiKey = customer.apiKey,
): request.Test => request(api.url)[method](path).set('authorization', `Bearer ${apiKey}`);

const notFound = (responseId: string) => ({
  status: 404,
  error: {
    message: `Response with id '${responseId}' not found.`,
    type: 'invalid_request_error',
    param: null,
    code: null,
  },
});

/** What the SDK throws. */
async function refusalOf(asked: Promise<unknown>): Promise<Pick<APIError, 'status' | 'error'>> {
  const thrown = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(APIError);
  const { status, error } = thrown as APIError;
  return { status, error };
}

describe('the SDK', () => {
  it('retrieves a response as it was', async () => {
    const { responseId, response } = await kept();

    expect(await openai.responses.retrieve(responseId)).toMatchObject({
      ...(JSON.parse(response.toString()) as object),
    });
    expect(await clientOf(customer.apiKey, api.url).responses.retrieve(responseId)).toMatchObject({
      id: responseId,
    });
    const { text, headers } = await send('get', `/v1/responses/${responseId}`);
    expect(text).toBe(response.toString());
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-ratelimit-limit': expect.any(String),
    });
  });

  it('deletes a response, once', async () => {
    const { responseId } = await kept();

    await openai.responses.delete(responseId);

    expect(await refusalOf(openai.responses.retrieve(responseId))).toEqual(notFound(responseId));
    expect(await refusalOf(openai.responses.delete(responseId))).toEqual(notFound(responseId));
  });

  it('is told what a deletion did', async () => {
    const { responseId } = await kept();

    expect((await send('delete', `/v1/responses/${responseId}`)).body).toEqual({
      id: responseId,
      object: 'response',
      deleted: true,
    });
  });

  it.each(['asc', 'desc'] as const)('pages the input, %s', async (order) => {
    const { responseId, items } = await kept({ input: ['1', '2', '3', '4', '5'] });

    const ids: string[] = [];
    for await (const item of openai.responses.inputItems.list(responseId, { order, limit: 2 })) {
      ids.push(item.id);
    }

    const input = items.slice(0, 5).map(({ itemId }) => itemId!);
    expect(ids).toEqual(order === 'asc' ? input : input.reverse());
  });

  it('finds nothing of another account, of nobody, and of an id that cannot be one', async () => {
    const { responseId } = await kept();
    const other = clientOf((await api.aKey({ scopes: ['text'] })).apiKey);

    for (const id of [responseId, 'resp_nobody', 'a\u0000b', 'ü'.repeat(10)]) {
      expect(await refusalOf(other.responses.retrieve(id))).toEqual(notFound(id));
      expect(await refusalOf(other.responses.delete(id))).toEqual(notFound(id));
      expect(await refusalOf(other.responses.cancel(id))).toEqual(notFound(id));
      expect(
        await refusalOf(other.responses.inputItems.list(id) as unknown as Promise<unknown>),
      ).toEqual(notFound(id));
    }
    expect(await openai.responses.retrieve(responseId)).toMatchObject({ id: responseId });
  });

  it('is told the way out where a response cannot be streamed again or cancelled', async () => {
    const { responseId } = await kept();

    expect(await refusalOf(openai.responses.retrieve(responseId, { stream: true }))).toMatchObject({
      status: 400,
      error: {
        code: 'unsupported_parameter',
        param: 'stream',
        message: expect.stringContaining('leave stream out'),
      },
    });
    expect(await refusalOf(openai.responses.cancel(responseId))).toMatchObject({
      status: 400,
      error: {
        code: 'unsupported_parameter',
        message: expect.stringContaining('background are not supported'),
      },
    });
  });
});

describe('GET /v1/responses/{id}/input_items', () => {
  it('is a list with its cursors', async () => {
    const { responseId, items } = await kept({ input: ['1', '2', '3'] });

    const { body } = await send('get', `/v1/responses/${responseId}/input_items?limit=2&order=asc`);

    expect(body).toEqual({
      object: 'list',
      data: items.slice(0, 2).map((item) => JSON.parse(item.body.toString()) as unknown),
      first_id: items[0]!.itemId,
      last_id: items[1]!.itemId,
      has_more: true,
    });
  });

  it('is empty for an input of nothing', async () => {
    const { responseId } = await kept({ input: [] });

    expect((await send('get', `/v1/responses/${responseId}/input_items`)).body).toEqual({
      object: 'list',
      data: [],
      first_id: null,
      last_id: null,
      has_more: false,
    });
  });

  it.each([
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['order', 'order=up'],
    ['after', 'after=msg_of_nobody'],
    ['after', 'after=%00'],
    ['after', 'after=a&after=b'],
  ])('refuses a bad %s: %s', async (param, query) => {
    const { responseId } = await kept();

    const { status, body } = await send('get', `/v1/responses/${responseId}/input_items?${query}`);

    expect({ status, body }).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_parameter', param } },
    });
  });
});

describe('a client that does not read', () => {
  it('holds the memory of two responses, not more, and nobody else’s', async () => {
    const hog = await api.aKey({ scopes: ['text'] });
    const response = { output: [], instructions: 'x'.repeat(15_000_000) };
    const { responseId } = await kept({ accountId: hog.accountId, response });
    const small = await kept({ accountId: hog.accountId });
    const path = `/v1/responses/${responseId}`;
    const gone = new AbortController();
    const ask = () =>
      fetch(`${api.url}${path}`, {
        headers: { authorization: `Bearer ${hog.apiKey}` },
        signal: gone.signal,
      });

    const unread = [await ask(), await ask()];
    expect(unread.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await send('get', path, hog.apiKey);

    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect(refused.headers['retry-after']).toBe('1');
    expect((await send('get', `/v1/responses/${small.responseId}`, hog.apiKey)).status).toBe(200);
    const other = await kept({ response });
    expect((await send('get', `/v1/responses/${other.responseId}`)).status).toBe(200);

    gone.abort();
    await eventually(async () => {
      expect((await send('get', path, hog.apiKey)).status).toBe(200);
    });
  });
});

describe('a kept response', () => {
  it('is for keys with the scope of text', async () => {
    const { responseId } = await kept();
    const { accountId } = customer;
    const { apiKey } = await api.aKey({ accountId, scopes: ['videos:read'] });

    for (const [method, path] of [
      ['get', ''],
      ['delete', ''],
      ['get', '/input_items'],
      ['post', '/cancel'],
    ] as const) {
      const { body, status } = await send(method, `/v1/responses/${responseId}${path}`, apiKey);
      expect({ status, body }).toMatchObject({
        status: 403,
        body: { error: { code: 'scope_missing' } },
      });
    }
    expect((await request(api.url).get(`/v1/responses/${responseId}`)).status).toBe(401);
  });

  it('takes GET and DELETE', async () => {
    const { responseId } = await kept();

    const { status, headers } = await send('patch', `/v1/responses/${responseId}`);

    expect([status, headers['allow']]).toEqual([405, 'GET, DELETE']);
  });
});
