/**
 * One circuit breaker as one replica sees it: a state, the rules, and `now` in ms. No I/O and no
 * clock in here.
 *
 * | state | event | becomes |
 * |---|---|---|
 * | closed | `failuresToOpen` failures in a row, or half of at least 20 calls in 30 s | open |
 * | open | the cool-down ends | due: still refuses, until this replica may probe |
 * | due | a call while this replica may probe | probing |
 * | probing | success | closed |
 * | probing | failure | open, for twice as long |
 * | probing | no outcome in time | due |
 */
export interface Breaker {
  state: 'closed' | 'open' | 'probing';
  failuresInRow: number;
  /** Calls and failures of the last 30 s, in buckets of 5 s. */
  readonly calls: number[];
  readonly failures: number[];
  bucket: number;
  /** Open: when the cool-down ends. Probing: when the probe is given up. In ms. */
  until: number;
  /** How often it has opened without a minute's rest in between. */
  openings: number;
  closedAt: number;
  /** This replica may send the one probe, until this time in ms. */
  mayProbeUntil: number;
  usedAt: number;
}

export interface BreakerRules {
  /** Failures in a row that open it. */
  readonly failuresToOpen: number;
  /** The first cool-down; each further opening doubles it. */
  readonly coolDownMs: number;
  readonly longestCoolDownMs: number;
  /** A probe without an outcome is given up after this. */
  readonly probeMs: number;
}

/** `ask`: the cool-down has ended, and this replica needs the permit to probe. */
export type Verdict = 'pass' | 'refuse' | 'ask' | 'probe';
export type Change = 'opened' | 'closed' | undefined;

const buckets = 6;
const bucketMs = 5_000;
const callsToJudge = 20;
const shareToOpen = 0.5;

export function createBreaker(): Breaker {
  const zeros = (): number[] => Array.from({ length: buckets }, () => 0);
  return {
    state: 'closed',
    failuresInRow: 0,
    calls: zeros(),
    failures: zeros(),
    bucket: 0,
    until: 0,
    openings: 0,
    closedAt: -Infinity,
    mayProbeUntil: 0,
    usedAt: 0,
  };
}

/** What may happen to a call now. `probe` makes this call the probe. */
export function judgeCall(breaker: Breaker, now: number, { probeMs }: BreakerRules): Verdict {
  breaker.usedAt = now;
  if (breaker.state === 'closed') return 'pass';
  if (now < breaker.until) return 'refuse';
  if (now >= breaker.mayProbeUntil) return 'ask';
  breaker.state = 'probing';
  breaker.until = now + probeMs;
  breaker.mayProbeUntil = 0;
  return 'probe';
}

export function noteSuccess(breaker: Breaker, now: number): Change {
  breaker.usedAt = now;
  if (breaker.state === 'closed') {
    breaker.failuresInRow = 0;
    count(breaker, now, 0);
    return undefined;
  }
  // A request from before it opened says nothing about now.
  if (breaker.state === 'open') return undefined;
  close(breaker, now);
  return 'closed';
}

export function noteFailure(breaker: Breaker, now: number, rules: BreakerRules): Change {
  breaker.usedAt = now;
  if (breaker.state === 'open') return undefined;
  breaker.failuresInRow += 1;
  count(breaker, now, 1);
  if (
    breaker.state === 'closed' &&
    breaker.failuresInRow < rules.failuresToOpen &&
    !failsTooOften(breaker)
  ) {
    return undefined;
  }
  return openNow(breaker, now, rules);
}

/** Opens it whatever it has counted, unless it is open. */
export function openNow(breaker: Breaker, now: number, rules: BreakerRules): Change {
  if (breaker.state === 'open') return undefined;
  const isFresh = breaker.state === 'closed' && now - breaker.closedAt >= rules.longestCoolDownMs;
  const openings = isFresh ? 1 : breaker.openings + 1;
  openFor(breaker, now, { coolDownMs: coolDownAfter(openings, rules), openings });
  return 'opened';
}

/** Doubles with each opening, up to the longest. */
export function coolDownAfter(
  openings: number,
  { coolDownMs, longestCoolDownMs }: BreakerRules,
): number {
  return Math.min(
    Math.max(coolDownMs, longestCoolDownMs),
    coolDownMs * 2 ** Math.min(openings - 1, 16),
  );
}

/** Opens it, or keeps it open for as long as the longer of both says. */
export function openFor(
  breaker: Breaker,
  now: number,
  { coolDownMs, openings }: { readonly coolDownMs: number; readonly openings: number },
): void {
  const isOpen = breaker.state === 'open';
  breaker.until = isOpen ? Math.max(breaker.until, now + coolDownMs) : now + coolDownMs;
  breaker.openings = isOpen ? Math.max(breaker.openings, openings) : openings;
  breaker.state = 'open';
  breaker.usedAt = now;
  breaker.mayProbeUntil = 0;
  forgetCalls(breaker);
}

/** The probe was given up without an outcome: another one may be sent at once. */
export function abandonProbe(breaker: Breaker, now: number): void {
  if (breaker.state !== 'probing') return;
  breaker.state = 'open';
  breaker.until = now;
  breaker.mayProbeUntil = 0;
}

/**
 * The same rules with pauses up to a fifth shorter or longer, so that breakers that opened together
 * do not end their pauses together; `random` is uniform in [0, 1).
 */
export function spread(rules: BreakerRules, random: number): BreakerRules {
  const factor = 0.8 + 0.4 * random;
  return {
    ...rules,
    coolDownMs: rules.coolDownMs * factor,
    longestCoolDownMs: rules.longestCoolDownMs * factor,
  };
}

export function close(breaker: Breaker, now: number): void {
  breaker.state = 'closed';
  breaker.closedAt = now;
  breaker.mayProbeUntil = 0;
  forgetCalls(breaker);
}

/** True when the cool-down, or the time of a probe, has ended. */
export function isDue(breaker: Breaker, now: number): boolean {
  return breaker.state !== 'closed' && now >= breaker.until;
}

/** What an operator sees. */
export type BreakerState = 'open' | 'half_open' | 'closed';

export function stateOf(breaker: Breaker, now: number): BreakerState {
  if (breaker.state === 'closed') return 'closed';
  return breaker.state === 'open' && now < breaker.until ? 'open' : 'half_open';
}

function count(breaker: Breaker, now: number, failures: 0 | 1): void {
  const bucket = Math.floor(now / bucketMs);
  const passed = Math.min(buckets, bucket - breaker.bucket);
  for (let back = 0; back < passed; back += 1) {
    breaker.calls[(bucket - back) % buckets] = 0;
    breaker.failures[(bucket - back) % buckets] = 0;
  }
  breaker.bucket = bucket;
  const at = bucket % buckets;
  breaker.calls[at] = (breaker.calls[at] ?? 0) + 1;
  breaker.failures[at] = (breaker.failures[at] ?? 0) + failures;
}

function failsTooOften({ calls, failures }: Breaker): boolean {
  const all = sum(calls);
  return all >= callsToJudge && sum(failures) >= all * shareToOpen;
}

function forgetCalls(breaker: Breaker): void {
  breaker.failuresInRow = 0;
  breaker.calls.fill(0);
  breaker.failures.fill(0);
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);
