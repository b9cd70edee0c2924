import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { createCallbackSecrets } from '@gateway/store';
import { openPeer, openReceiver, type Peer } from '@gateway/testing';
import { openApi, type ApiUnderTest } from './harness.ts';

let api: ApiUnderTest;
const peers: Pick<Peer, 'close'>[] = [];
beforeAll(async () => {
  api = await openApi();
});
afterAll(async () => {
  await Promise.all([api.close(), ...peers.map((peer) => peer.close())]);
});

async function opened<Opened extends Pick<Peer, 'close'>>(peer: Promise<Opened>): Promise<Opened> {
  const open = await peer;
  peers.push(open);
  return open;
}

const test = (apiKey: string, body: object) =>
  request(api.url).post('/v1/callbacks/test').set('x-api-key', apiKey).send(body);

describe('POST /v1/callbacks/test', () => {
  it('sends a challenge, then a signed event, once each, and says what came back', async () => {
    const { apiKey, accountId } = await api.aKey();
    const receiver = await opened(openReceiver());

    const { body } = await test(apiKey, { callback_url: receiver.url }).expect(200);

    expect(body).toMatchObject({
      object: 'callback.test',
      callback_url: receiver.url,
      delivered: true,
      challenge: {
        outcome: 'success',
        http_status: 200,
        answer: '{"challenge":"[challenge]"}',
        duration_ms: expect.any(Number),
      },
      event: { outcome: 'success', http_status: 200, detail: null },
    });
    const [{ secret } = { secret: '' }] = await createCallbackSecrets(api.database).valid(
      accountId,
    );
    expect(receiver.received).toHaveLength(2);
    const [challenge, event] = receiver.received.map(({ headers, body: raw }) =>
      new Webhook(secret).verify(raw.toString(), headers as Record<string, string>),
    );
    expect(challenge).toMatchObject({ type: 'url_verification' });
    expect(event).toMatchObject({ type: 'callback.test', id: (body as { id: string }).id });
    expect(receiver.received[1]?.headers).toMatchObject({ 'x-gateway-event': 'callback.test' });
  });

  it('sends no event to an address that does not consent, and does not repeat itself', async () => {
    const { apiKey } = await api.aKey();
    const receiver = await opened(
      openPeer((_received, response) => {
        response.statusCode = 500;
        response.end('out of order');
      }),
    );

    const { body } = await test(apiKey, { callback_url: receiver.url }).expect(200);

    expect(body).toMatchObject({
      delivered: false,
      challenge: { outcome: 'http_error', http_status: 500, answer: 'out of order' },
      event: null,
    });
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ['an address inside', 'http://10.0.0.1/hook', 'invalid_callback_url', 'callback_url'],
    ['what is no address', 'hook', 'invalid_callback_url', 'callback_url'],
    ['credentials', 'https://user:word@receiver.example/', 'invalid_callback_url', 'callback_url'],
  ])('refuses %s before anything is sent', async (_name, url, code, param) => {
    const { apiKey } = await api.aKey();

    const { status, body } = await test(apiKey, { callback_url: url });

    expect([status, body]).toMatchObject([400, { error: { code, param } }]);
  });

  it('refuses a body that is not of its form, and a key that may only read', async () => {
    const { apiKey } = await api.aKey();
    const { apiKey: reader } = await api.aKey({ scopes: ['videos:read'] });

    expect((await test(apiKey, {})).body).toMatchObject({
      error: { code: 'missing_parameter', param: 'callback_url' },
    });
    expect(
      (await test(apiKey, { callback_url: 'https://a.example/', times: 9 })).body,
    ).toMatchObject({ error: { code: 'unknown_parameter', param: 'times' } });
    expect((await test(reader, { callback_url: 'https://a.example/' })).status).toBe(403);
  });

  it('is limited for each account, over all its keys, and not for others', async () => {
    const { apiKey, accountId } = await api.aKey();
    const { apiKey: second } = await api.aKey({ accountId });
    const { apiKey: other } = await api.aKey();
    const { url } = await opened(openReceiver());

    for (let turn = 0; turn < 6; turn += 1) {
      await test(turn % 2 === 0 ? apiKey : second, { callback_url: url }).expect(200);
    }

    const { status, headers, body } = await test(second, { callback_url: url });
    expect([status, body]).toMatchObject([429, { error: { code: 'rate_limit_exceeded' } }]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    await test(other, { callback_url: url }).expect(200);
  });
});
