import { describe, expect, it } from '@jest/globals';
import { parseDataUrl } from '@gateway/media';
import { aJpeg, aPng } from './samples.ts';

const rule = {
  allowedTypes: ['image/png', 'image/jpeg', 'image/svg+xml'],
  maxBytes: 1_000,
} as const;
const png = aPng(640, 368);
const urlOf = (content: Buffer, type = 'image/png'): string =>
  `data:${type};base64,${content.toString('base64')}`;
const padded = (length: number): Buffer => Buffer.concat([png, Buffer.alloc(length - png.length)]);

describe('a data URL', () => {
  it.each([64, 65, 66, 1_000])('of %i bytes gives its bytes and type', (length) => {
    const verdict = parseDataUrl(urlOf(padded(length)), rule);

    expect(verdict).toEqual({ ok: true, mediaType: 'image/png', bytes: expect.anything() });
    expect(verdict.ok && Buffer.from(verdict.bytes).equals(padded(length))).toBe(true);
  });

  it('may spell its type in capitals or by an alias', () => {
    expect(parseDataUrl(urlOf(aJpeg(1, 1), 'IMAGE/JPG'), rule)).toMatchObject({
      ok: true,
      mediaType: 'image/jpeg',
    });
  });

  it.each([
    ['one byte too many', urlOf(padded(1_001)), 'too_large'],
    ['a type that is not allowed', urlOf(Buffer.from('GIF89a'), 'image/gif'), 'type_not_allowed'],
    ['another content than declared', urlOf(aJpeg(1, 1)), 'type_mismatch'],
    ['a page called an image', urlOf(Buffer.from('<!doctype html>')), 'type_mismatch'],
    [
      'a vector image, which proves nothing',
      urlOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml'),
      'type_mismatch',
    ],
    ['no content', 'data:image/png;base64,', 'type_mismatch'],
    ['no base64', 'data:image/png,%89PNG', 'malformed'],
    ['no type', `data:;base64,${png.toString('base64')}`, 'malformed'],
    ['parameters', urlOf(png, 'image/png;charset=utf-8'), 'malformed'],
    ['a space in front', ` ${urlOf(png)}`, 'malformed'],
    ['a line break inside', urlOf(png).replace('AAAA', 'AA\nAA'), 'malformed'],
    ['a line break at the end', `${urlOf(png)}\n`, 'malformed'],
    [
      'the URL-safe alphabet',
      `data:image/png;base64,${Buffer.concat([png, Buffer.alloc(60, 0xff)]).toString('base64url')}`,
      'malformed',
    ],
    ['missing padding', urlOf(padded(65)).replace(/=+$/, ''), 'malformed'],
    ['a character too many', `${urlOf(padded(66))}A`, 'malformed'],
    ['padding in the middle', urlOf(png).replace('AAAA', 'A==='), 'malformed'],
    ['bits that belong to no byte', urlOf(padded(64)).replace(/A==$/, 'B=='), 'malformed'],
    ['another scheme', 'https://receiver.example/a.png', 'malformed'],
    ['an endless header', `data:image/${'a'.repeat(10_000)};base64,AAAA`, 'malformed'],
  ])('with %s is refused', (_case, text, reason) => {
    expect(parseDataUrl(text, rule)).toMatchObject({ ok: false, reason });
  });

  it('is judged by its length before it is decoded', () => {
    const text = `data:image/png;base64,${'!'.repeat(4_000)}`; // nothing that could be decoded

    expect(parseDataUrl(text, rule)).toMatchObject({
      ok: false,
      reason: 'too_large',
      message: 'must be at most 1000 bytes',
    });
  });
});
