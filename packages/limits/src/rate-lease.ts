/**
 * What one replica holds of one subject's request rate: tokens of one bucket of time, counted in
 * Redis as used when they are leased, given back when they are not. No I/O and no clock in here.
 */
export interface RateLease {
  limit: number;
  /** Leased and not yet used. */
  tokens: number;
  /** The bucket they are counted in, by Redis' clock. */
  bucket: number;
  /**
   * By the replica's clock, in ms: from then on the tokens may not be used. Never later than the
   * bucket's true end.
   */
  endsAt: number;
  /** What Redis had left over when it was last asked. */
  left: number;
  /** When the oldest counted bucket leaves the window and its tokens come back, in ms. */
  resetAt: number;
  /** Redis said "empty": not asked again before this, in ms. */
  emptyUntil: number;
  /** Tokens of a bucket that has ended, to be given back with the next call. */
  backBucket: number;
  backTokens: number;
  /** Requests since `countedSince`, and in as long a time before it. */
  requests: number;
  requestsBefore: number;
  countedSince: number;
}

/** What Redis returned to a call sent at `sentAt`. */
export interface Grant {
  readonly sentAt: number;
  readonly tokens: number;
  readonly left: number;
  readonly bucket: number;
  readonly bucketLeftMs: number;
  readonly resetMs: number;
  /** The limit the call was sent with. */
  readonly limit: number;
}

const exactUpTo = 20;
const largestBatch = 1_024;

export function createRateLease(limit: number): RateLease {
  return {
    limit,
    tokens: 0,
    bucket: 0,
    endsAt: 0,
    left: limit,
    resetAt: 0,
    emptyUntil: 0,
    backBucket: 0,
    backTokens: 0,
    requests: 0,
    requestsBefore: 0,
    countedSince: 0,
  };
}

/**
 * How many tokens a call asks for beyond those that somebody waits for. None for a small limit:
 * there each request is counted by itself.
 */
export function extraTokens(limit: number): number {
  return limit <= exactUpTo ? 0 : Math.min(largestBatch, Math.max(1, Math.floor(limit / 50)));
}

/** Counts a request of the subject, by which a batch is sized. */
export function noteRequest(lease: RateLease, now: number, bucketMs: number): void {
  const passedMs = now - lease.countedSince;
  if (passedMs >= bucketMs) {
    lease.requestsBefore = passedMs < 2 * bucketMs ? lease.requests : 0;
    lease.requests = 0;
    lease.countedSince = now;
  }
  lease.requests += 1;
}

/**
 * How many tokens this lease's next call asks for beyond those that somebody waits for: as many as
 * came lately, so that a subject that asks seldom leaves nothing to be given back.
 */
export function extraFor(lease: RateLease): number {
  const lately = Math.max(lease.requests, lease.requestsBefore);
  return Math.max(0, Math.min(extraTokens(lease.limit), lately - 1));
}

/** Uses one leased token, if there is one that has not lapsed. */
export function useToken(lease: RateLease, now: number): boolean {
  if (lease.tokens <= 0 || now >= lease.endsAt) return false;
  lease.tokens -= 1;
  return true;
}

/**
 * True when so few tokens are left that the next ones should be fetched before somebody has to wait
 * for them.
 */
export function isRunningLow(lease: RateLease): boolean {
  const extra = extraFor(lease);
  return extra > 0 && lease.tokens <= extra >> 2 && lease.left > 0;
}

/**
 * Puts a token back that was not used after all; `bucket` is the one it was counted in. Where that
 * can be said of none any more it is lost until its bucket leaves the window: too strict, never too
 * lax.
 */
export function returnToken(lease: RateLease, bucket: number): void {
  if (bucket === lease.bucket) lease.tokens += 1;
  else if (lease.backTokens === 0 || lease.backBucket === bucket) {
    lease.backBucket = bucket;
    lease.backTokens += 1;
  }
}

/** True while a refusal is remembered. */
export function isKnownEmpty(lease: RateLease, now: number): boolean {
  return now < lease.emptyUntil && lease.tokens <= 0;
}

/**
 * Puts tokens that may no longer be used aside, to be given back. Those of a bucket still waiting
 * to be given back are lost until it leaves the window: too strict, never too lax.
 */
export function setAside(lease: RateLease): void {
  if (lease.tokens <= 0) return;
  lease.backTokens = lease.tokens + (lease.backBucket === lease.bucket ? lease.backTokens : 0);
  lease.backBucket = lease.bucket;
  lease.tokens = 0;
}

/** Adopts another limit: what was leased and known under the old one no longer counts. */
export function changeLimit(lease: RateLease, limit: number): void {
  setAside(lease);
  lease.limit = limit;
  lease.left = limit;
  lease.emptyUntil = 0;
}

/** Takes the tokens to be given back out of the lease, at the moment they are sent. */
export function takeBack(lease: RateLease): { readonly bucket: number; readonly tokens: number } {
  const back = { bucket: lease.backBucket, tokens: lease.backTokens };
  lease.backTokens = 0;
  return back;
}

/**
 * Adds what Redis granted. Times count from when the call was sent, so a lease never outlives its
 * bucket.
 */
export function addGrant(lease: RateLease, grant: Grant): void {
  if (grant.bucket !== lease.bucket) setAside(lease);
  lease.bucket = grant.bucket;
  lease.tokens += grant.tokens;
  lease.endsAt = grant.sentAt + grant.bucketLeftMs;
  lease.left = grant.left;
  lease.resetAt = grant.sentAt + grant.resetMs;
  // Tokens come back when a bucket ends, or when another replica gives some back, which happens
  // then too.
  lease.emptyUntil = grant.left <= 0 ? lease.endsAt : 0;
  if (grant.limit !== lease.limit) changeLimit(lease, lease.limit);
}
