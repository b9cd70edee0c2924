import { describe, expect, it } from '@jest/globals';
import type { SendOutcome } from '../../../packages/video-providers/src/http.ts';
import { readServing } from '../../../packages/video-providers/src/serving.ts';

const responded = (status: number, json: unknown): SendOutcome => ({
  kind: 'responded',
  status,
  headers: {},
  json,
  text: '',
});

describe('whether a vendor serves, by its response to a question that costs nothing', () => {
  it.each([
    ['its list', responded(200, { items: [] }), 'serving'],
    ['its list is not there', responded(404, undefined), 'serving'],
    ['the question is not allowed', responded(405, undefined), 'serving'],
    ['the question is wrong', responded(400, { error: {} }), 'serving'],
    ['its rate is spent', responded(429, { error: {} }), 'serving'],
    ['a page with 200', responded(200, undefined), 'not_serving'],
    ['a list in place of an object', responded(200, []), 'not_serving'],
    ['a redirect', responded(302, undefined), 'not_serving'],
    ['a key that is refused', responded(401, { error: {} }), 'not_serving'],
    ['an empty account', responded(402, { error: {} }), 'not_serving'],
    ['a firewall', responded(403, undefined), 'not_serving'],
    ['a proxy that wants a password', responded(407, undefined), 'not_serving'],
    ['a fault', responded(500, { error: {} }), 'unanswered'],
    ['a gateway without a vendor', responded(503, undefined), 'unanswered'],
    ['no connection', { kind: 'not_sent', detail: 'ECONNREFUSED' } as const, 'unanswered'],
    ['no response', { kind: 'lost', detail: 'ETIMEDOUT' } as const, 'unanswered'],
  ])('%s', (_name, sent, kind) => {
    expect(readServing(sent).kind).toBe(kind);
  });

  it('of a vendor that refuses a key with another status: with that one too', () => {
    const wrongKey = responded(400, { error: {} });

    expect(readServing(wrongKey, [400]).kind).toBe('not_serving');
    expect(readServing(responded(404, undefined), [400]).kind).toBe('serving');
  });
});
