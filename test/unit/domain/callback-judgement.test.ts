import { describe, expect, it } from '@jest/globals';
import { judgeResponse, type Judgement } from '@gateway/domain';
import type { PostOutcome } from '@gateway/outbound';
import { redact } from '@gateway/runtime';

const challenge = 'c1QzLmE2PW9Xn4y7uJr0kTqVb8sDfGhJ2lZxCvBnM5A';
const now = new Date('2026-05-04T10:00:00Z');

type SomeResponse = Partial<Extract<PostOutcome, { kind: 'responded' }>> & {
  readonly text?: string;
};
const responded = ({ text = '', ...overrides }: SomeResponse = {}): PostOutcome => ({
  kind: 'responded',
  status: 200,
  headers: {},
  body: Buffer.from(text),
  durationMs: 12,
  remoteAddress: '192.0.2.7',
  ...overrides,
});
const judge = (outcome: PostOutcome, expected: string | null = null): Judgement =>
  judgeResponse(outcome, {
    url: 'https://receiver.example/hook?secret=1',
    challenge: expected,
    now,
    redact: (text) => String(redact(text)),
  });

describe('judging the response to a push', () => {
  it.each([[200], [201], [204], [299]])('takes %i for a success, whatever the body', (status) => {
    expect(judge(responded({ status, text: '<html>' }))).toEqual({
      attemptClass: 'success',
      httpStatus: status,
      detail: null,
      answerExcerpt: '<html>',
      remoteAddress: '192.0.2.7',
      retryAfterMs: undefined,
    });
  });

  it.each([
    [
      { status: 301, headers: { location: 'https://elsewhere.example/x?token=abc' } },
      'redirect_not_followed',
      'returned 301, a redirect to elsewhere.example; redirects are not followed',
    ],
    [
      { status: 302, headers: { location: '/login' } },
      'redirect_not_followed',
      'returned 302, a redirect to receiver.example; redirects are not followed',
    ],
    [
      { status: 304 },
      'redirect_not_followed',
      'returned 304, a redirect to nowhere; redirects are not followed',
    ],
    [{ status: 410 }, 'gone', 'returned 410: the receiver wants no more pushes'],
    [{ status: 404 }, 'http_error', 'returned 404'],
    [{ status: 500 }, 'http_error', 'returned 500'],
  ])('names what was wrong with %p', (response, attemptClass, detail) => {
    expect(judge(responded(response))).toMatchObject({
      attemptClass,
      detail,
      httpStatus: response.status,
    });
  });

  it.each([
    [429, '120', 120_000],
    [503, 'Mon, 04 May 2026 10:00:30 GMT', 30_000],
    [500, 'soon', undefined],
    [200, '120', undefined], // where it means nothing
  ])('of %i reads Retry-After %p as %p', (status, value, retryAfterMs) => {
    expect(judge(responded({ status, headers: { 'retry-after': value } })).retryAfterMs).toBe(
      retryAfterMs,
    );
  });

  it('passes on what the network did, without an address', () => {
    expect(
      judge({
        kind: 'failed',
        class: 'connection_refused',
        detail: 'the connection was refused (ECONNREFUSED)',
        durationMs: 3,
      }),
    ).toEqual({
      attemptClass: 'connection_refused',
      httpStatus: null,
      detail: 'the connection was refused (ECONNREFUSED)',
      answerExcerpt: null,
      remoteAddress: null,
      retryAfterMs: undefined,
    });
  });

  it('keeps the first KiB of the response on one line, without control characters', () => {
    const { answerExcerpt } = judge(
      responded({ status: 500, text: `a\u0000b\r\n\tc\u202ed ${'x'.repeat(5_000)}` }),
    );

    expect(answerExcerpt).toMatch(/^a b c d x+$/);
    expect(Buffer.byteLength(answerExcerpt ?? '')).toBeLessThanOrEqual(1_024);
  });

  it('keeps no token of a receiver that reflects its request', () => {
    const { answerExcerpt } = judge(
      responded({
        status: 500,
        text: 'got {"video_url":"https://gateway.example/v1/videos/video_1/content?token=k1.17.abcdef"}',
      }),
    );

    expect(answerExcerpt).toBe(
      'got {"video_url":"https://gateway.example/v1/videos/video_1/content?token=[redacted]"}',
    );
  });

  it('reads bytes that are not UTF-8 without failing', () => {
    expect(
      judge(responded({ status: 500, body: Buffer.from([0x68, 0xff, 0xfe, 0x69]) })).answerExcerpt,
    ).toBe('h\ufffd\ufffdi');
  });
});

describe('judging the response to a challenge', () => {
  it.each([
    ['plain text', challenge],
    ['plain text with a line end', `${challenge}\n`],
    ['a JSON string', JSON.stringify(challenge)],
    ['a JSON object', JSON.stringify({ ok: true, challenge })],
    ['a form', `ok=1&challenge=${challenge}`],
  ])('takes an echo as %s', (_name, text) => {
    expect(judge(responded({ text }), challenge).attemptClass).toBe('success');
  });

  it.each([
    ['another value', 'no', 'returned 200, but the body was "no" instead of the challenge'],
    ['no body', '', 'returned 200 with an empty body instead of the challenge'],
    [
      'a page that contains it',
      `<p>${challenge}</p>`,
      'returned 200, but the body was "<p>[challenge]</p>" instead of the challenge; respond with the value of "challenge" and nothing else',
    ],
    [
      'the request itself',
      JSON.stringify({ body: { type: 'url_verification', challenge } }),
      'returned 200, but the body was "{"body":{"type":"url_verification","challenge":"[challenge]"}}" instead of the challenge; respond with the value of "challenge" and nothing else',
    ],
  ])('refuses %s, and says so', (_name, text, detail) => {
    expect(judge(responded({ text }), challenge)).toMatchObject({
      attemptClass: 'mismatch',
      detail,
    });
  });

  it('does not look for an echo in a response that is no success, and does not log the value', () => {
    expect(judge(responded({ status: 500, text: challenge }), challenge)).toMatchObject({
      attemptClass: 'http_error',
      answerExcerpt: '[challenge]',
    });
  });
});
