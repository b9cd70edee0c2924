import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createAccounts, createSessions } from '@gateway/store';
import { eventually } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

const adminToken = 'admin-token-for-tests';
const own = { 'x-gateway-console': '1' };

let api: ApiUnderTest;
beforeAll(async () => {
  api = await openApi({ adminToken, publicBaseUrl: 'https://gateway.test' });
});
afterAll(async () => {
  await api.close();
});

interface Signed {
  readonly cookie: string;
  readonly id: string;
}

const cookieIn = (response: { headers: Readonly<Record<string, unknown>> }): string =>
  (response.headers['set-cookie'] as string[])[0]!;

async function signIn(apiKey: string): Promise<Signed> {
  const response = await request(api.url)
    .post('/v1/session')
    .set({ authorization: `Bearer ${apiKey}`, ...own })
    .expect(200);
  return {
    cookie: cookieIn(response).split(';')[0]!,
    id: (response.body as { id: string }).id,
  };
}

async function aSession() {
  const key = await api.aKey();
  return { ...key, ...(await signIn(key.apiKey)) };
}

const list = (cookie: string) => request(api.url).get('/v1/videos').set('cookie', cookie);
const create = (cookie: string, headers: Readonly<Record<string, string>>) =>
  request(api.url)
    .post('/v1/videos')
    .set({ cookie, ...headers })
    .send({ model: 'sandbox-video', prompt: 'a red balloon' });

const age = (id: string, change: string) =>
  api.database.pool.query(`UPDATE session SET ${change} WHERE id = $1`, [id]);
/** So that what this replica remembers is over. */
const refused = (cookie: string, code: string) =>
  eventually(async () => {
    const { body } = await list(cookie).expect(401);
    expect(body).toMatchObject({ error: { code } });
  });

describe('signing a browser in', () => {
  it('gives it a cookie that scripts cannot read, and the key to nobody', async () => {
    const { apiKey, keyId, accountId } = await api.aKey();

    const response = await request(api.url)
      .post('/v1/session')
      .set({ authorization: `Bearer ${apiKey}`, 'user-agent': 'a browser', ...own })
      .expect(200);

    expect(cookieIn(response)).toMatch(
      /^gateway_session=[\w-]{43}; Path=\/v1; Expires=.{29}; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(response.headers['cache-control']).toBe('no-store');
    expect(response.body).toMatchObject({
      object: 'session',
      account_id: accountId,
      key_id: keyId,
      scopes: ['videos:write', 'videos:read'],
      user_agent: 'a browser',
      current: true,
    });
    const secret = cookieIn(response).slice('gateway_session='.length, 59);
    const { rows } = await api.database.pool.query('SELECT * FROM session WHERE owner = $1', [
      keyId,
    ]);
    for (const kept of [JSON.stringify(response.body), JSON.stringify(rows)]) {
      expect(kept).not.toContain(apiKey);
      expect(kept).not.toContain(secret);
    }
  });

  it('lasts eight hours', async () => {
    const { id } = await aSession();
    const { rows } = await api.database.pool.query(
      'SELECT extract(epoch FROM expires_at - created_at)::int AS seconds FROM session WHERE id = $1',
      [id],
    );
    expect(rows).toEqual([{ seconds: 28_800 }]);
  });

  it('is refused where a session is shown in place of the key', async () => {
    const { cookie } = await aSession();
    const { body } = await request(api.url)
      .post('/v1/session')
      .set({ cookie, ...own })
      .expect(401);
    expect(body).toMatchObject({ error: { code: 'missing_api_key' } });
  });

  it('is refused to pages of others', async () => {
    const { apiKey } = await api.aKey();
    await request(api.url)
      .post('/v1/session')
      .set({ authorization: `Bearer ${apiKey}`, 'sec-fetch-site': 'cross-site', ...own })
      .expect(403);
  });

  it('ends the session that was unused for longest when there are fifty', async () => {
    const { apiKey, keyId } = await api.aKey();
    const oldest = await signIn(apiKey);
    for (let index = 0; index < 49; index += 1) await signIn(apiKey);
    await age(oldest.id, `last_used_at = now()`);
    await signIn(apiKey);

    const { rows } = await api.database.pool.query<{ id: string }>(
      'SELECT id FROM session WHERE owner = $1',
      [keyId],
    );
    expect(rows).toHaveLength(50);
    expect(rows.map(({ id }) => id)).toContain(oldest.id);
  });
});

describe('a session', () => {
  it('opens the routes that its key opens, and no others', async () => {
    const { cookie, accountId } = await aSession();

    await list(cookie).expect(200);
    const { body } = await create(cookie, own).expect(200);
    expect(body).toMatchObject({ object: 'video', status: 'queued' });
    const { rows } = await api.database.pool.query('SELECT account_id FROM task WHERE id = $1', [
      (body as { id: string }).id,
    ]);
    expect(rows).toEqual([{ account_id: accountId }]);
    await request(api.url).get('/v1/billing/balance').set('cookie', cookie).expect(403);
    await request(api.url).get('/admin/v1/accounts').set('cookie', cookie).expect(401);
  });

  it.each([
    ['without the header of our pages', {}],
    ['from another site', { ...own, 'sec-fetch-site': 'cross-site' }],
    ['from another origin of the same site', { ...own, 'sec-fetch-site': 'same-site' }],
    ['typed into the address bar', { ...own, 'sec-fetch-site': 'none' }],
    ['with another origin', { ...own, origin: 'https://evil.example' }],
    ['of a page without an origin', { ...own, origin: 'null' }],
  ])('changes nothing %s', async (_how, headers) => {
    const { cookie } = await aSession();
    const { body } = await create(cookie, headers).expect(403);
    expect(body).toMatchObject({ error: { code: 'foreign_page' } });
    const { body: text } = await request(api.url)
      .post('/v1/chat/completions')
      .set({ cookie, ...headers })
      .send({ model: 'sandbox-text', messages: [{ role: 'user', content: 'hi' }] })
      .expect(403);
    expect(text).toMatchObject({ error: { code: 'foreign_page' } });
  });

  it.each([
    ['as browsers say it', { ...own, 'sec-fetch-site': 'same-origin' }],
    ['as older ones do', (host: string) => ({ ...own, origin: `http://${host}` })],
  ])('changes what our own page asks for, %s', async (_how, headers) => {
    const { cookie } = await aSession();
    const sent = typeof headers === 'function' ? headers(new URL(api.url).host) : headers;
    await create(cookie, sent).expect(200);
  });

  it('is read by no page of another origin, and in the address bar', async () => {
    const { cookie } = await aSession();
    await list(cookie).set('sec-fetch-site', 'same-site').expect(403);
    await list(cookie).set('sec-fetch-site', 'none').expect(200);
  });

  it('is not what a key beside it is, nor a key itself', async () => {
    const { cookie } = await aSession();
    const another = await api.aKey();
    const { body } = await request(api.url)
      .post('/v1/videos')
      .set({ cookie, 'x-api-key': another.apiKey })
      .send({ model: 'sandbox-video', prompt: 'a red balloon' })
      .expect(200);
    const { rows } = await api.database.pool.query('SELECT account_id FROM task WHERE id = $1', [
      (body as { id: string }).id,
    ]);
    expect(rows).toEqual([{ account_id: another.accountId }]);

    const secret = cookie.slice('gateway_session='.length);
    await request(api.url).get('/v1/videos').set('x-api-key', secret).expect(401);
  });

  it('survives an empty Redis', async () => {
    const { cookie } = await aSession();
    await api.redis.flushall();
    await list(cookie).expect(200);
  });

  it('ends when it is over, or unused for two hours', async () => {
    const over = await aSession();
    await age(
      over.id,
      `created_at = now() - interval '8 hours 1 second', expires_at = now() - interval '1 second'`,
    );
    await refused(over.cookie, 'invalid_session');

    const idle = await aSession();
    await age(
      idle.id,
      `created_at = now() - interval '3 hours', last_used_at = now() - interval '2 hours'`,
    );
    await refused(idle.cookie, 'invalid_session');
  });

  it('leaves no row behind once it is over', async () => {
    const [over, valid] = [await aSession(), await aSession()];
    await age(
      over.id,
      `created_at = now() - interval '8 hours 1 second', expires_at = now() - interval '1 second'`,
    );
    await createSessions(api.database).purge(1_000);
    const { rows } = await api.database.pool.query('SELECT id FROM session WHERE id = ANY($1)', [
      [over.id, valid.id],
    ]);
    expect(rows).toEqual([{ id: valid.id }]);
  });

  it('stays while it is used', async () => {
    const { cookie, id } = await aSession();
    await age(
      id,
      `created_at = now() - interval '3 hours', last_used_at = now() - interval '119 minutes'`,
    );
    await list(cookie).expect(200);
    const { rows } = await api.database.pool.query(
      `SELECT now() - last_used_at < interval '1 minute' AS fresh FROM session WHERE id = $1`,
      [id],
    );
    expect(rows).toEqual([{ fresh: true }]);
  });

  it('ends with its key, within five seconds', async () => {
    const { cookie, keyId } = await aSession();
    await list(cookie).expect(200);
    await createAccounts(api.database).revokeKey(keyId);
    await refused(cookie, 'invalid_api_key');
  });
});

describe('signing out', () => {
  it('ends the session at once, and takes the cookie away', async () => {
    const { cookie, id } = await aSession();
    await list(cookie).expect(200);

    const response = await request(api.url)
      .delete('/v1/session')
      .set({ cookie, ...own })
      .expect(200);

    expect(response.body).toEqual({ id, object: 'session.deleted', deleted: true });
    expect(cookieIn(response)).toMatch(/^gateway_session=; Path=\/v1; Expires=Thu, 01 Jan 1970/);
    const { body } = await list(cookie).expect(401);
    expect(body).toMatchObject({ error: { code: 'invalid_session' } });
  });

  it('needs a session', async () => {
    const { apiKey } = await api.aKey();
    for (const method of ['get', 'delete'] as const) {
      await request(api.url)[method]('/v1/session').set('x-api-key', apiKey).expect(404);
    }
  });

  it('does not happen for a page of somebody else', async () => {
    const { cookie } = await aSession();
    await request(api.url).delete('/v1/session').set('cookie', cookie).expect(403);
    await list(cookie).expect(200);
  });
});

describe('the sessions of a key', () => {
  it('are listed, and ended one by one', async () => {
    const { apiKey, cookie, id } = await aSession();
    const other = await signIn(apiKey);
    const stranger = await aSession();

    const { body } = await request(api.url).get('/v1/sessions').set('cookie', cookie).expect(200);
    expect(body).toMatchObject({
      data: [
        { id: other.id, current: false },
        { id, current: true },
      ],
    });
    const remove = (sessionId: string) =>
      request(api.url)
        .delete(`/v1/sessions/${sessionId}`)
        .set({ cookie, ...own });
    await remove(stranger.id).expect(404);
    await remove('nonsense').expect(404);
    await remove(other.id).expect(200);
    await remove(other.id).expect(404);
    await list(other.cookie).expect(401);
    await list(stranger.cookie).expect(200);
    const current = await request(api.url).get('/v1/session').set('cookie', cookie).expect(200);
    expect(current.body).toMatchObject({ id, current: true });
  });

  it('are pages', async () => {
    const { apiKey, id } = await aSession();
    const newer = await signIn(apiKey);
    const page = async (query: string) =>
      (await request(api.url).get(`/v1/sessions?${query}`).set('x-api-key', apiKey).expect(200))
        .body as { data: { id: string }[]; has_more: boolean };
    expect(await page('limit=1')).toMatchObject({ data: [{ id: newer.id }], has_more: true });
    expect(await page(`limit=1&after=${newer.id}`)).toMatchObject({
      data: [{ id }],
      has_more: false,
    });
    expect(await page(`before=${id}`)).toMatchObject({ data: [{ id: newer.id }] });
    await request(api.url).get('/v1/sessions?colour=red').set('x-api-key', apiKey).expect(400);
  });
});

describe('an operator’s session', () => {
  const signInOperator = () =>
    request(api.url)
      .post('/admin/v1/session')
      .set({ authorization: `Bearer ${adminToken}`, ...own });

  it('opens /admin/v1 and nothing else, until it signs out', async () => {
    const response = await signInOperator().expect(200);
    expect(cookieIn(response)).toMatch(
      /^gateway_operator=[\w-]{43}; Path=\/admin\/v1; Expires=.{29}; HttpOnly; Secure; SameSite=Strict$/,
    );
    const cookie = cookieIn(response).split(';')[0]!;
    const { id } = response.body as { id: string };
    const admin = (method: 'get' | 'post' | 'delete', path: string) =>
      request(api.url)[method](`/admin/v1${path}`).set('cookie', cookie);

    await admin('get', '/accounts').expect(200);
    await admin('get', '/accounts').set('sec-fetch-site', 'same-site').expect(403);
    await admin('post', '/accounts').send({ name: 'Acme' }).expect(403);
    await admin('post', '/accounts').set(own).send({ name: 'Acme' }).expect(200);
    await admin('post', '/session').set(own).expect(401);
    expect((await admin('get', '/session').expect(200)).body).toMatchObject({ id, current: true });
    expect((await admin('get', '/sessions').expect(200)).body).toMatchObject({ data: [{ id }] });
    await request(api.url).get('/v1/videos').set('cookie', cookie).expect(401);

    await admin('delete', '/session').set(own).expect(200);
    expect((await admin('get', '/accounts').expect(401)).body).toMatchObject({
      error: { code: 'invalid_session' },
    });
  });

  it('is ended by another operator', async () => {
    const cookie = cookieIn(await signInOperator().expect(200)).split(';')[0]!;
    const { id } = (await signInOperator().expect(200)).body as { id: string };
    const end = () =>
      request(api.url)
        .delete(`/admin/v1/sessions/${id}`)
        .set({ cookie, ...own });
    await end().expect(200);
    await end().expect(404);
    const bearer = { authorization: `Bearer ${adminToken}` };
    await request(api.url).delete('/admin/v1/session').set(bearer).expect(404);
    await request(api.url).get('/admin/v1/session').set(bearer).expect(404);
  });
});
