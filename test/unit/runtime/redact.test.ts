import { describe, expect, it } from '@jest/globals';
import { redact } from '@gateway/runtime';

describe('a text for the log', () => {
  it.each<[string, string, string]>([
    [
      'a media token',
      'GET /v1/videos/video_1/content?token=k1.1767225600.abc_-DEF',
      'GET /v1/videos/video_1/content?token=[redacted]',
    ],
    [
      'a token among others',
      'https://h/a?x=1&token=abc&y=2',
      'https://h/a?x=1&token=[redacted]&y=2',
    ],
    ['a token in capitals', 'https://h/a?TOKEN=abc', 'https://h/a?TOKEN=[redacted]'],
    [
      'a token in quotes',
      '{"url":"https://h/a?token=abc"}',
      '{"url":"https://h/a?token=[redacted]"}',
    ],
    [
      'every token',
      'https://h/a?token=abc https://h/b?token=def',
      'https://h/a?token=[redacted] https://h/b?token=[redacted]',
    ],
    [
      'a signature of S3',
      'https://b/o?X-Amz-Date=1&X-Amz-Signature=abc',
      'https://b/o?X-Amz-Date=1&X-Amz-Signature=[redacted]',
    ],
    [
      'the credentials of S3',
      'https://b/o?X-Amz-Credential=AKIA%2F1&X-Amz-Security-Token=abc',
      'https://b/o?X-Amz-Credential=[redacted]&X-Amz-Security-Token=[redacted]',
    ],
    [
      'a signed request to S3',
      'AWS4-HMAC-SHA256 Credential=AKIA/2026/s3, SignedHeaders=host;x-amz-date, Signature=abc',
      'AWS4-HMAC-SHA256 Credential=[redacted], SignedHeaders=host;x-amz-date, Signature=[redacted]',
    ],
    [
      'a signature of TOS',
      'https://b/o?X-Tos-Signature=abc',
      'https://b/o?X-Tos-Signature=[redacted]',
    ],
    [
      'a signature by its short names',
      'https://b/o?sig=abc&signature=def',
      'https://b/o?sig=[redacted]&signature=[redacted]',
    ],
    [
      'a key in a query',
      'https://b/o?key=abc&api_key=def',
      'https://b/o?key=[redacted]&api_key=[redacted]',
    ],
    ['a signature alone', 'Signature=abc', 'Signature=[redacted]'],
    ['a password in an address', 'redis://me:secret@h/0', 'redis://me:[redacted]@h/0'],
    ['an API key', 'key sk-gw-AbC_d-9 is known', 'key sk-gw-[redacted] is known'],
    ['a callback secret', 'signed with whsec_AbC+/d9==', 'signed with whsec_[redacted]'],
    ['a bearer', 'authorization: Bearer ark-AbC.d/9', 'authorization: Bearer [redacted]'],
    [
      'a bearer in small letters',
      '{"authorization":"bearer abc"}',
      '{"authorization":"bearer [redacted]"}',
    ],
    [
      'the bytes of a picture',
      'url data:image/png;base64,iVBORw0KGgo= is good',
      'url data:image/png;base64,[redacted] is good',
    ],
    [
      'the bytes of a vector picture',
      'data:image/svg+xml;base64,AAAA',
      'data:image/svg+xml;base64,[redacted]',
    ],
  ])('is without %s', (_case, text, written) => {
    expect(redact(text)).toBe(written);
  });

  it.each([
    'the token expired',
    'a monkey=1',
    'https://h/a?tokens=3',
    'sk-gw',
    'whsec',
    'data:image/png is a type',
    'an ordinary text',
  ])('stays as it is: %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('a value for the log', () => {
  it.each([42, true, null, undefined])('stays as it is: %p', (value) => {
    expect(redact(value)).toBe(value);
  });

  it('stays a date', () => {
    const date = new Date(0);

    expect(redact(date)).toBe(date);
  });

  it('is without secrets in its fields and lists', () => {
    expect(
      redact({ url: '/a?token=abc', more: [{ key: 'sk-gw-abc' }, 'Bearer abc', 7], when: null }),
    ).toStrictEqual({
      url: '/a?token=[redacted]',
      more: [{ key: 'sk-gw-[redacted]' }, 'Bearer [redacted]', 7],
      when: null,
    });
  });

  it('keeps its fields when it only looks like an error', () => {
    expect(redact({ message: 'hello', more: 1 })).toStrictEqual({ message: 'hello', more: 1 });
    expect(redact({ stack: 'api', more: 1 })).toStrictEqual({ stack: 'api', more: 1 });
  });

  it('is not changed itself', () => {
    const value = { headers: { authorization: 'Bearer abc' } };
    redact(value);

    expect(value).toStrictEqual({ headers: { authorization: 'Bearer abc' } });
  });

  it('may point back at itself', () => {
    const value: Record<string, unknown> = { name: 'loop' };
    value['self'] = value;

    expect(redact(value)).toMatchObject({ name: 'loop', self: { name: 'loop' } });
  });
});

describe('an error for the log', () => {
  it('becomes its fields, without secrets', () => {
    const error = Object.assign(new TypeError('GET https://h/a?token=abc failed'), {
      code: 'ECONNRESET',
    });

    expect(redact(error)).toStrictEqual({
      name: 'TypeError',
      message: 'GET https://h/a?token=[redacted] failed',
      code: 'ECONNRESET',
      stack: expect.stringMatching(
        /^TypeError: GET https:\/\/h\/a\?token=\[redacted\] failed\n +at /,
      ),
    });
  });

  it('has only the fields that it has', () => {
    expect(Object.keys(redact(new Error('x')) as object)).toEqual(['name', 'message', 'stack']);
  });

  it('tells its causes, without secrets', () => {
    const error = new Error('could not submit', {
      cause: new Error('Bearer abc was refused', { cause: 'sk-gw-abc' }),
    });

    expect(redact({ error })).toMatchObject({
      error: {
        message: 'could not submit',
        cause: { message: 'Bearer [redacted] was refused', cause: 'sk-gw-[redacted]' },
      },
    });
  });

  it('of Node itself is told as well', () => {
    let thrown: unknown;
    try {
      new URL('::');
    } catch (error) {
      thrown = error;
    }

    expect(redact(thrown)).toMatchObject({ name: 'TypeError', code: 'ERR_INVALID_URL' });
  });
});
