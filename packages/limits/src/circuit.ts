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
export interface Circuit {
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

export interface CircuitRules {
  /** Failures in a row that open it. */
  readonly failuresToOpen: number;
  /** The first cool-down; each further opening doubles it. */
  readonly coolDownMs: number;
  readonly longestCoolDownMs: number;
  /** A probe without an outcome is given up after this. */
  readonly probeMs: number;
}

/** `ask`: the cool-down has ended, and this replica needs leave to probe. */
export type Verdict = 'pass' | 'refuse' | 'ask' | 'probe';
export type Change = 'opened' | 'closed' | undefined;

const buckets = 6;
const bucketMs = 5_000;
const callsToJudge = 20;
const shareToOpen = 0.5;

export function createCircuit(): Circuit {
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
export function judgeCall(circuit: Circuit, now: number, { probeMs }: CircuitRules): Verdict {
  circuit.usedAt = now;
  if (circuit.state === 'closed') return 'pass';
  if (now < circuit.until) return 'refuse';
  if (now >= circuit.mayProbeUntil) return 'ask';
  circuit.state = 'probing';
  circuit.until = now + probeMs;
  circuit.mayProbeUntil = 0;
  return 'probe';
}

export function noteSuccess(circuit: Circuit, now: number): Change {
  circuit.usedAt = now;
  if (circuit.state === 'closed') {
    circuit.failuresInRow = 0;
    count(circuit, now, 0);
    return undefined;
  }
  // A request from before it opened says nothing about now.
  if (circuit.state === 'open') return undefined;
  close(circuit, now);
  return 'closed';
}

export function noteFailure(circuit: Circuit, now: number, rules: CircuitRules): Change {
  circuit.usedAt = now;
  if (circuit.state === 'open') return undefined;
  circuit.failuresInRow += 1;
  count(circuit, now, 1);
  if (
    circuit.state === 'closed' &&
    circuit.failuresInRow < rules.failuresToOpen &&
    !failsTooOften(circuit)
  ) {
    return undefined;
  }
  const isFresh = circuit.state === 'closed' && now - circuit.closedAt >= rules.longestCoolDownMs;
  const openings = isFresh ? 1 : circuit.openings + 1;
  openFor(circuit, now, { coolDownMs: coolDownAfter(openings, rules), openings });
  return 'opened';
}

/** Doubles with each opening, up to the longest. */
export function coolDownAfter(
  openings: number,
  { coolDownMs, longestCoolDownMs }: CircuitRules,
): number {
  return Math.min(
    Math.max(coolDownMs, longestCoolDownMs),
    coolDownMs * 2 ** Math.min(openings - 1, 16),
  );
}

/** Opens it, or keeps it open for as long as the longer of both says. */
export function openFor(
  circuit: Circuit,
  now: number,
  { coolDownMs, openings }: { readonly coolDownMs: number; readonly openings: number },
): void {
  const isOpen = circuit.state === 'open';
  circuit.until = isOpen ? Math.max(circuit.until, now + coolDownMs) : now + coolDownMs;
  circuit.openings = isOpen ? Math.max(circuit.openings, openings) : openings;
  circuit.state = 'open';
  circuit.usedAt = now;
  circuit.mayProbeUntil = 0;
  forgetCalls(circuit);
}

export function close(circuit: Circuit, now: number): void {
  circuit.state = 'closed';
  circuit.closedAt = now;
  circuit.mayProbeUntil = 0;
  forgetCalls(circuit);
}

/** True when the cool-down, or the time of a probe, has ended. */
export function isDue(circuit: Circuit, now: number): boolean {
  return circuit.state !== 'closed' && now >= circuit.until;
}

/** What an operator sees. */
export function stateOf(circuit: Circuit, now: number): 'open' | 'half_open' | 'closed' {
  if (circuit.state === 'closed') return 'closed';
  return circuit.state === 'open' && now < circuit.until ? 'open' : 'half_open';
}

function count(circuit: Circuit, now: number, failures: 0 | 1): void {
  const bucket = Math.floor(now / bucketMs);
  const passed = Math.min(buckets, bucket - circuit.bucket);
  for (let back = 0; back < passed; back += 1) {
    circuit.calls[(bucket - back) % buckets] = 0;
    circuit.failures[(bucket - back) % buckets] = 0;
  }
  circuit.bucket = bucket;
  const at = bucket % buckets;
  circuit.calls[at] = (circuit.calls[at] ?? 0) + 1;
  circuit.failures[at] = (circuit.failures[at] ?? 0) + failures;
}

function failsTooOften({ calls, failures }: Circuit): boolean {
  const all = sum(calls);
  return all >= callsToJudge && sum(failures) >= all * shareToOpen;
}

function forgetCalls(circuit: Circuit): void {
  circuit.failuresInRow = 0;
  circuit.calls.fill(0);
  circuit.failures.fill(0);
}

const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);
