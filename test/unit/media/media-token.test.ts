import { describe, expect, it } from '@jest/globals';
import {
  createMediaLinks,
  mediaTokenDefaults,
  parseTokenKeys,
  signMediaToken,
  verifyMediaToken,
  type MediaTokenVerdict,
  type VerifyMediaToken,
} from '@gateway/media';

const keyOf = (from: number): string =>
  Buffer.from(Array.from({ length: 32 }, (_, index) => (from + index) % 256)).toString('base64');
const keys = parseTokenKeys(`k1:${keyOf(0)}`);
const videoId = 'video_01J9ZK3Q7Y8R5T2V6W4X1A0B9C';
const exp = 1_767_225_600;
const at = (secondsBeforeExpiry: number): Date => new Date((exp - secondsBeforeExpiry) * 1000);
const contentToken = 'k1.1767225600.2EZJZtl72AlS1RIfvkIqfhrKNAnPaoECYNaRmfFx_lY';
const lastFrameToken = 'k1.1767225600.KTcga3eXf6hlDcF1UX3G14zEcobqHpUjqLk3E4yxyBs';

const verify = (change: Partial<VerifyMediaToken> = {}): MediaTokenVerdict =>
  verifyMediaToken({
    keys,
    token: contentToken,
    variant: 'content',
    videoId,
    now: at(3_600),
    maxTtlSeconds: 86_400,
    ...change,
  });

describe('T-TOK signing a media token', () => {
  it.each([
    ['content', contentToken],
    ['last-frame', lastFrameToken],
  ] as const)('gives the known token for %s', (variant, token) => {
    expect(
      signMediaToken({
        keys,
        variant,
        videoId,
        now: at(86_400),
        ttlSeconds: 86_400,
        bucketSeconds: 900,
      }),
    ).toBe(token);
  });

  it.each([
    [0, exp],
    [1, exp + 900],
    [899, exp + 900],
    [900, exp + 900],
    [900.001, exp + 1_800],
    [901, exp + 1_800],
  ])('%d seconds into a bucket it expires at its end', (seconds, expected) => {
    const token = signMediaToken({
      keys,
      variant: 'content',
      videoId,
      now: new Date((exp - 86_400 + seconds) * 1000),
      ttlSeconds: 86_400,
      bucketSeconds: 900,
    });

    expect(token.split('.')[1]).toBe(String(expected));
  });

  it('uses the first key', () => {
    const rotated = parseTokenKeys(`k2:${keyOf(7)},k1:${keyOf(0)}`);

    expect(
      signMediaToken({
        keys: rotated,
        variant: 'content',
        videoId,
        now: at(0),
        ttlSeconds: 60,
        bucketSeconds: 60,
      }),
    ).toMatch(/^k2\./);
  });
});

describe('T-TOK verifying a media token', () => {
  it.each([
    ['content', contentToken],
    ['last-frame', lastFrameToken],
  ] as const)('takes the known token for %s', (variant, token) => {
    expect(verify({ variant, token })).toEqual({ ok: true, expiresAt: new Date(exp * 1000) });
  });

  it('refuses it with any one character changed', () => {
    for (let index = 0; index < contentToken.length; index += 1) {
      for (const other of 'A1b_-.') {
        const token = contentToken.slice(0, index) + other + contentToken.slice(index + 1);
        if (token !== contentToken) {
          expect({ token, ok: verify({ token }).ok }).toEqual({ token, ok: false });
        }
      }
    }
  });

  it('refuses it with any one bit flipped', () => {
    const bytes = Buffer.from(contentToken);
    for (let index = 0; index < bytes.length * 8; index += 1) {
      const flipped = Buffer.from(bytes);
      flipped[index >> 3] = (flipped[index >> 3] ?? 0) ^ (1 << (index & 7));
      expect({ index, ok: verify({ token: flipped.toString('latin1') }).ok }).toEqual({
        index,
        ok: false,
      });
    }
  });

  it('refuses what another key signed for years to come, and what ours would have signed', () => {
    const farFuture = signMediaToken({
      keys,
      variant: 'content',
      videoId,
      now: at(0),
      ttlSeconds: 10 * 365 * 86_400,
      bucketSeconds: 900,
    });

    expect(verify({ token: farFuture })).toEqual({ ok: false, reason: 'too_far' });
    expect(verify({ token: farFuture, keys: parseTokenKeys(`k1:${keyOf(9)}`) })).toEqual({
      ok: false,
      reason: 'wrong_mac',
    });
  });

  it('stops to take tokens of a key that is dropped', () => {
    expect(verify({ keys: parseTokenKeys(`k2:${keyOf(7)}`) })).toEqual({
      ok: false,
      reason: 'unknown_key',
    });
  });

  it('refuses another spelling of the same MAC', () => {
    // "Y" and "Z" differ in bits that base64url of 32 bytes does not use
    expect(verify({ token: contentToken.replace(/Y$/, 'Z') })).toEqual({
      ok: false,
      reason: 'wrong_mac',
    });
  });

  it.each<[string, Partial<VerifyMediaToken>, string]>([
    ['another video', { videoId: 'video_01J9ZK3Q7Y8R5T2V6W4X1A0B9D' }, 'wrong_mac'],
    ['the other variant', { variant: 'last-frame' }, 'wrong_mac'],
    ['another key under the same kid', { keys: parseTokenKeys(`k1:${keyOf(1)}`) }, 'wrong_mac'],
    ['a kid that is not known', { keys: parseTokenKeys(`k2:${keyOf(0)}`) }, 'unknown_key'],
    ['a later expiry', { token: contentToken.replace('1767225600', '1767225601') }, 'wrong_mac'],
    ['the moment of expiry', { now: at(0) }, 'expired'],
    ['a second after expiry', { now: at(-1) }, 'expired'],
    ['an expiry beyond what is ever signed', { now: at(86_400 + 901) }, 'too_far'],
    ['a wrong MAC on an expired token', { now: at(-1), videoId: 'video_x' }, 'wrong_mac'],
  ])('refuses %s', (_case, change, reason) => {
    expect(verify(change)).toEqual({ ok: false, reason });
  });

  it.each([
    ['the last second', at(1)],
    ['the longest life that is ever signed', at(86_400 + 900)],
  ])('takes %s', (_case, now) => {
    expect(verify({ now }).ok).toBe(true);
  });

  it.each([
    '',
    'k1',
    'k1.1767225600',
    `${contentToken}.x`,
    ` ${contentToken}`,
    `${contentToken}\n`,
    `${contentToken}=`,
    contentToken.replace('.1', '.01'),
    contentToken.replace('.1767225600', '.-1'),
    contentToken.replace('.1767225600', '.1e9'),
    contentToken.replace('k1', ''),
    contentToken.slice(0, -1),
    'k1.1767225600.é'.padEnd(58, 'a'),
  ])('calls %j malformed', (token) => {
    expect(verify({ token })).toEqual({ ok: false, reason: 'malformed' });
  });

  it('takes tokens of every key while keys rotate', () => {
    const rotated = parseTokenKeys(`k2:${keyOf(7)},k1:${keyOf(0)}`);

    expect(verify({ keys: rotated }).ok).toBe(true);
    expect(
      verify({
        keys: rotated,
        token: signMediaToken({
          keys: rotated,
          variant: 'content',
          videoId,
          now: at(3_600),
          ttlSeconds: 3_600,
          bucketSeconds: 900,
        }),
      }).ok,
    ).toBe(true);
  });
});

describe('T-TOK the signed addresses of a video', () => {
  it('name the file and carry a token that opens it, the same within a bucket', () => {
    let now = at(3_600);
    const links = createMediaLinks({
      baseUrl: 'https://gateway.example/',
      keys,
      ...mediaTokenDefaults,
      now: () => now,
    });
    const video = new URL(links.video(videoId));
    const frame = new URL(links.lastFrame(videoId));
    const poster = new URL(links.poster(videoId));

    expect(video.origin + video.pathname).toBe(
      `https://gateway.example/v1/videos/${videoId}/content`,
    );
    expect(frame.pathname).toBe(`/v1/videos/${videoId}/last-frame`);
    expect(poster.pathname).toBe(`/v1/videos/${videoId}/poster`);
    expect(verify({ token: video.searchParams.get('token') ?? '', now }).ok).toBe(true);
    expect(
      verify({ token: frame.searchParams.get('token') ?? '', variant: 'last-frame', now }).ok,
    ).toBe(true);
    expect(
      verify({ token: poster.searchParams.get('token') ?? '', variant: 'poster', now }).ok,
    ).toBe(true);

    now = new Date(now.getTime() - 899_000);
    expect(links.video(videoId)).toBe(video.href);
    now = new Date(now.getTime() - 2_000);
    expect(links.video(videoId)).not.toBe(video.href);
  });
});

describe('the media token keys', () => {
  it('keep their order', () => {
    expect(parseTokenKeys(` k2:${keyOf(7)} , k1:${keyOf(0)} `).map(({ kid }) => kid)).toEqual([
      'k2',
      'k1',
    ]);
  });

  it.each([
    ['', /are missing/],
    [`k1:${Buffer.alloc(31).toString('base64')}`, /"k1" has 31 bytes; at least 32/],
    ['k1:', /"k1" has 0 bytes/],
    ['k1:not base64!', /"k1" is not base64/],
    [`k1:${keyOf(0)},k1:${keyOf(1)}`, /"k1" is there twice/],
    [`k.1:${keyOf(0)}`, /"entry 1" is not written as <kid>:<base64>/],
    [`k1:${keyOf(0)},k2:short`, /"k2" /],
  ])('are refused: %j', (text, message) => {
    expect(() => parseTokenKeys(text)).toThrow(message);
  });

  it('are never repeated in an error', () => {
    expect(() => parseTokenKeys(keyOf(0))).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(keyOf(0).slice(0, 8)) }),
    );
  });
});
