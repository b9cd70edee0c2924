import { createHmac, timingSafeEqual } from 'node:crypto';

/** `source-`: for a vendor that makes another video from this one, which gets the file longer than customers. */
export type MediaVariant =
  'content' | 'last-frame' | 'poster' | 'asset' | 'source-content' | 'source-last-frame';

export interface MediaTokenKey {
  readonly kid: string;
  readonly secret: Uint8Array;
}

/** The first one signs, all verify. */
export type MediaTokenKeys = readonly [MediaTokenKey, ...MediaTokenKey[]];

export type MediaTokenVerdict =
  | { readonly ok: true; readonly expiresAt: Date }
  | {
      readonly ok: false;
      readonly reason: 'malformed' | 'unknown_key' | 'wrong_mac' | 'expired' | 'too_far';
    };

/** 24 h, in steps of 15 min: reading a task twice within a step gives the same address. */
export const mediaTokenDefaults = { ttlSeconds: 86_400, bucketSeconds: 900 } as const;

const minKeyBytes = 32;
const kidPattern = /^[A-Za-z0-9_-]{1,32}$/;
const tokenPattern = /^([A-Za-z0-9_-]{1,32})\.([1-9]\d{0,11})\.([A-Za-z0-9_-]{43})$/;

/**
 * Reads `k2:<base64>,k1:<base64>`. Throws one Error that names the kid of every bad entry, and
 * never shows key bytes.
 */
export function parseTokenKeys(text: string): MediaTokenKeys {
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry);
  const kids = entries.map(({ kid }) => kid);
  const problems = entries.flatMap(({ kid, problem }, index) => {
    if (kids.indexOf(kid) !== index) return [`"${kid}" is there twice`];
    return problem === undefined ? [] : [`"${kid}" ${problem}`];
  });
  if (problems.length > 0) throw new Error(`bad media token keys: ${problems.join('; ')}`);
  const [first, ...rest] = entries.map(({ kid, secret }) => ({ kid, secret }));
  if (first === undefined) {
    throw new Error('media token keys are missing; write them like k1:<base64 of 32 random bytes>');
  }
  return [first, ...rest];
}

function parseEntry(entry: string, index: number): MediaTokenKey & { readonly problem?: string } {
  const [kid = '', ...rest] = entry.split(':');
  const encoded = rest.join(':');
  // without a colon the text may be the key itself: it is not repeated
  if (rest.length === 0 || !kidPattern.test(kid)) {
    return {
      kid: `entry ${index + 1}`,
      secret: Buffer.alloc(0),
      problem: 'is not written as <kid>:<base64>',
    };
  }
  const secret = Buffer.from(encoded, 'base64');
  if (secret.toString('base64') !== encoded) return { kid, secret, problem: 'is not base64' };
  return secret.length < minKeyBytes
    ? { kid, secret, problem: `has ${secret.length} bytes; at least ${minKeyBytes} are needed` }
    : { kid, secret };
}

export interface SignMediaToken {
  readonly keys: MediaTokenKeys;
  readonly variant: MediaVariant;
  readonly videoId: string;
  readonly now: Date;
  readonly ttlSeconds: number;
  readonly bucketSeconds: number;
}

/**
 * A token `<kid>.<exp>.<mac>` that opens one file of one video for `ttlSeconds`, rounded up to the
 * next bucket.
 */
export function signMediaToken({
  keys: [key],
  variant,
  videoId,
  now,
  ttlSeconds,
  bucketSeconds,
}: SignMediaToken): string {
  const exp = Math.ceil((now.getTime() / 1000 + ttlSeconds) / bucketSeconds) * bucketSeconds;
  return `${key.kid}.${exp}.${macOf(key, { exp: String(exp), variant, videoId })}`;
}

export interface VerifyMediaToken {
  readonly keys: readonly MediaTokenKey[];
  readonly token: string;
  /** Variant and id come from the path, so that a token cannot name anything else. */
  readonly variant: MediaVariant;
  readonly videoId: string;
  readonly now: Date;
  /**
   * The `ttlSeconds` that are signed with. A token that outlives it was not signed by us, even if
   * its MAC fits.
   */
  readonly maxTtlSeconds: number;
  readonly bucketSeconds?: number;
}

/**
 * The MAC is judged before the time, so that a forger learns nothing about either. A token is
 * expired from `exp` on.
 */
export function verifyMediaToken(check: VerifyMediaToken): MediaTokenVerdict {
  const [, kid, exp, mac] = tokenPattern.exec(check.token) ?? [];
  if (kid === undefined || exp === undefined || mac === undefined) {
    return { ok: false, reason: 'malformed' };
  }
  const key = check.keys.find((known) => known.kid === kid);
  if (key === undefined) return { ok: false, reason: 'unknown_key' };
  // compared as text: the last character of a decoded MAC has spare bits that would let other
  // spellings pass
  if (!timingSafeEqual(Buffer.from(mac), Buffer.from(macOf(key, { ...check, exp })))) {
    return { ok: false, reason: 'wrong_mac' };
  }
  const remainingSeconds = Number(exp) - check.now.getTime() / 1000;
  if (remainingSeconds <= 0) return { ok: false, reason: 'expired' };
  if (
    remainingSeconds >
    check.maxTtlSeconds + (check.bucketSeconds ?? mediaTokenDefaults.bucketSeconds)
  ) {
    return { ok: false, reason: 'too_far' };
  }
  return { ok: true, expiresAt: new Date(Number(exp) * 1000) };
}

interface Signed {
  readonly exp: string;
  readonly variant: MediaVariant;
  readonly videoId: string;
}

function macOf(key: MediaTokenKey, { exp, variant, videoId }: Signed): string {
  return createHmac('sha256', key.secret)
    .update(`media-token-v1\n${key.kid}\n${exp}\n${variant}\n${videoId}`)
    .digest('base64url');
}

export interface MediaLinksOptions {
  /** Of the API as customers reach it, without the version. */
  readonly baseUrl: string;
  readonly keys: MediaTokenKeys;
  readonly ttlSeconds: number;
  readonly bucketSeconds: number;
  readonly now: () => Date;
}

export interface MediaLinks {
  video(videoId: string): string;
  lastFrame(videoId: string): string;
  poster(videoId: string): string;
}

/** Signed addresses of a finished video, for the task resource and its callbacks alike. */
export function createMediaLinks({
  baseUrl,
  keys,
  ttlSeconds,
  bucketSeconds,
  now,
}: MediaLinksOptions): MediaLinks {
  const root = baseUrl.replace(/\/+$/, '');
  const link = (videoId: string, variant: MediaVariant): string =>
    `${root}/v1/videos/${videoId}/${variant}?token=${signMediaToken({ keys, variant, videoId, now: now(), ttlSeconds, bucketSeconds })}`;
  return {
    video: (videoId) => link(videoId, 'content'),
    lastFrame: (videoId) => link(videoId, 'last-frame'),
    poster: (videoId) => link(videoId, 'poster'),
  };
}
