import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await api.close();
});

type Overrides = Parameters<ApiUnderTest['aKey']>[0];
const scopes = ['videos:write', 'videos:read', 'keys:write'];
const aMaker = (overrides: Overrides = {}) => api.aKey({ scopes, ...overrides });
const make = (apiKey: string, body: object) =>
  request(api.url).post('/v1/keys').set('x-api-key', apiKey).send(body);
interface Made {
  readonly id: string;
  readonly api_key: string;
  readonly scopes: readonly string[];
}

describe('a key that an account makes', () => {
  it('is shown once, and works at once', async () => {
    const { apiKey, accountId, keyId } = await aMaker();
    const response = await make(apiKey, { name: 'dashboard', scopes: ['videos:read'] }).expect(200);
    expect(response.headers['cache-control']).toBe('no-store');
    const made = response.body as Made;
    expect(made).toMatchObject({
      object: 'api_key',
      account_id: accountId,
      name: 'dashboard',
      scopes: ['videos:read'],
      models: null,
      expires_at: null,
      revoked_at: null,
    });

    await request(api.url).get('/v1/videos').set('x-api-key', made.api_key).expect(200);
    await request(api.url).get('/v1/keys').set('x-api-key', made.api_key).expect(403);
    const { body } = await request(api.url).get('/v1/keys').set('x-api-key', apiKey).expect(200);
    expect(body).toMatchObject({ data: [{ id: made.id }, { id: keyId }] });
    expect(JSON.stringify(body)).not.toContain(made.api_key);
  });

  it('has the usual scopes, models, rate and expiry of its maker unless it is told otherwise', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000);
    const { apiKey } = await aMaker({ expiresAt, models: ['sandbox-video'], requestsPerMinute: 7 });
    const { body } = await make(apiKey, { name: 'k' }).expect(200);
    expect(body).toMatchObject({
      scopes: ['videos:write', 'videos:read'],
      models: ['sandbox-video'],
      requests_per_minute: 7,
      expires_at: expiresAt.toISOString(),
    });
    const less = await make(apiKey, {
      name: 'k',
      scopes,
      requests_per_minute: 6,
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    }).expect(200);
    expect(less.body).toMatchObject({ scopes, requests_per_minute: 6 });
  });

  it.each([
    ['another scope', { scopes: ['secrets:read'] }, 403, 'scope_missing', 'scopes'],
    ['another model', { models: ['a-model'] }, 403, 'model_not_allowed', 'models'],
    ['a higher rate', { requests_per_minute: 8 }, 400, 'invalid_parameter', 'requests_per_minute'],
    [
      'a later expiry',
      { expires_at: '2999-01-01T00:00:00Z' },
      400,
      'invalid_parameter',
      'expires_at',
    ],
    ['an unknown field', { colour: 'red' }, 400, 'unknown_parameter', 'colour'],
  ])('cannot have %s', async (_what, body, status, code, param) => {
    const { apiKey } = await aMaker({
      expiresAt: new Date(Date.now() + 3_600_000),
      models: ['sandbox-video'],
      requestsPerMinute: 7,
    });
    const response = await make(apiKey, { name: 'k', ...body }).expect(status);
    expect(response.body).toMatchObject({ error: { code, param } });
  });

  it('needs the scope', async () => {
    const { apiKey, keyId } = await api.aKey();
    await make(apiKey, { name: 'k' }).expect(403);
    await request(api.url).get('/v1/keys').set('x-api-key', apiKey).expect(403);
    await request(api.url).delete(`/v1/keys/${keyId}`).set('x-api-key', apiKey).expect(403);
  });

  it('is one too many beyond a hundred valid ones, or two hundred of a day', async () => {
    const { apiKey, accountId, keyId } = await aMaker();
    const add = (count: number, revoked: string) =>
      api.database.pool.query(
        `INSERT INTO api_key (id, account_id, name, hash, prefix, scopes, models, revoked_at)
         SELECT k.id || '-' || n || '-' || $3, k.account_id, k.name, sha256((k.id || '-' || n || '-' || $3)::bytea), k.prefix, k.scopes, k.models, ${revoked}
         FROM api_key k, generate_series(1, $2::int) n WHERE k.id = $1`,
        [keyId, count, revoked],
      );
    await add(98, 'NULL');
    await make(apiKey, { name: 'the hundredth' }).expect(200);
    const { body } = await make(apiKey, { name: 'k' }).expect(409);
    expect(body).toMatchObject({ error: { code: 'too_many_keys' } });

    await api.database.pool.query(
      'UPDATE api_key SET revoked_at = now() WHERE account_id = $1 AND id <> $2',
      [accountId, keyId],
    );
    await make(apiKey, { name: 'again' }).expect(200);
    await add(100, 'now()');
    await make(apiKey, { name: 'k' }).expect(409);
  });
});

describe('revoking a key', () => {
  it('ends it within five seconds, and is no error twice', async () => {
    const { apiKey } = await aMaker();
    const made = (await make(apiKey, { name: 'k' }).expect(200)).body as Made;
    const use = () => request(api.url).get('/v1/videos').set('x-api-key', made.api_key);
    await use().expect(200);
    const revoke = () =>
      request(api.url).delete(`/v1/keys/${made.id}`).set('x-api-key', apiKey).expect(200);
    const first = (await revoke()).body as { revoked_at: string };
    expect(first.revoked_at).not.toBeNull();
    expect((await revoke()).body).toMatchObject({ revoked_at: first.revoked_at });
    await eventually(async () => {
      await use().expect(401);
    });
  });

  it('reaches no other account', async () => {
    const { apiKey } = await aMaker();
    const stranger = await api.aKey();
    const revoke = (id: string) =>
      request(api.url).delete(`/v1/keys/${id}`).set('x-api-key', apiKey);
    await revoke(stranger.keyId).expect(404);
    await revoke('nonsense').expect(404);
    await request(api.url).get('/v1/videos').set('x-api-key', stranger.apiKey).expect(200);
  });
});
