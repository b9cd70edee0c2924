import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { SignatureError, verifyCallback } from '@gateway/client';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const body = JSON.stringify({ id: 'video_1', object: 'video', status: 'running', note: 'ü' });
const at = new Date('2026-01-31T12:00:00Z');
const now = at.getTime();
const signature = new Webhook(secret).sign('msg_1', at, body);
const other = new Webhook(`whsec_${Buffer.alloc(32, 6).toString('base64')}`).sign(
  'msg_1',
  at,
  body,
);
const headers = {
  'webhook-id': 'msg_1',
  'webhook-timestamp': String(now / 1_000),
  'webhook-signature': signature,
};
const verify = (
  changed: Partial<typeof headers> = {},
  { text = body, of = secret, ms = now } = {},
): Promise<unknown> =>
  verifyCallback({ body: text, headers: { ...headers, ...changed } }, of, { now: ms });

describe('verifyCallback', () => {
  it('returns what the reference implementation has signed, from text, bytes and both kinds of headers', async () => {
    const message = JSON.parse(body) as unknown;

    expect(await verify()).toEqual(message);
    expect(
      await verifyCallback(
        { body: new TextEncoder().encode(body), headers: new Headers(headers) },
        secret,
        { now },
      ),
    ).toEqual(message);
  });

  it('takes one good signature among several, as while a secret is rotated', async () => {
    await expect(
      verify({ 'webhook-signature': `${other} v2,xx ${signature}` }),
    ).resolves.toBeTruthy();
  });

  it.each([
    ['another secret’s signature', { 'webhook-signature': other }, {}],
    ['another body', {}, { text: `${body} ` }],
    ['another id', { 'webhook-id': 'msg_2' }, {}],
    ['a signature of another version', { 'webhook-signature': signature.replace('v1', 'v2') }, {}],
    ['no base64', { 'webhook-signature': 'v1,%%%' }, {}],
    ['an old message', {}, { ms: now + 301_000 }],
    ['a message from the future', {}, { ms: now - 301_000 }],
    ['a timestamp that is none', { 'webhook-timestamp': 'noon' }, {}],
    ['no signature', { 'webhook-signature': '' }, {}],
    ['a secret that is none', {}, { of: 'whsec_' }],
  ])('refuses %s', async (_name, changed, options) => {
    await expect(verify(changed, options)).rejects.toThrow(SignatureError);
  });
});
