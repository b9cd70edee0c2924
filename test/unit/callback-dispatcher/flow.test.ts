import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  createFlow,
  type FlowAttempt,
} from '../../../services/callback-dispatcher/src/use-cases/flow.ts';
import {
  refusalOf,
  type FlowRules,
} from '../../../services/callback-dispatcher/src/use-cases/flow-rules.ts';

const rules: FlowRules = {
  maxInFlight: 400,
  maxPerOrigin: 32,
  maxPerAccount: 64,
  slowAfterMs: 1_000,
};

function aFlow(overrides: Partial<FlowRules> = {}) {
  let time = 0;
  const flow = createFlow({ ...rules, ...overrides }, () => time);
  const begin = (receiver: string): FlowAttempt => {
    const begun = flow.begin(receiver);
    if (typeof begun === 'string') throw new Error(`refused: ${begun}`);
    return begun;
  };
  /** As many as it gets. */
  const fill = (receiver: string): FlowAttempt[] => {
    const begun: FlowAttempt[] = [];
    for (;;) {
      const next = flow.begin(receiver);
      if (typeof next === 'string') return begun;
      begun.push(next);
    }
  };
  return {
    ...flow,
    beginNow: begin,
    fill,
    pass: (ms: number) => {
      time += ms;
    },
    /** Its attempts end in time, so often that it gets all that a receiver may get. */
    makeFast: (receiver: string) => {
      for (let count = 0; count < 40; count += 1) begin(receiver).end();
    },
    makeSlow: (receiver: string) => {
      const begun = begin(receiver);
      time += rules.slowAfterMs;
      begun.end();
    },
  };
}

describe('what may be sent to a receiver', () => {
  const none = { unknown: 0, fast: 0, slow: 0 };
  const a = (
    speed: 'unknown' | 'fast' | 'slow',
    {
      taken = 0,
      window = 32,
      ofAccount,
      slowOfAccount = speed === 'slow' ? taken : 0,
      unknownOfAccount = 0,
    }: Partial<
      Record<'taken' | 'window' | 'ofAccount' | 'slowOfAccount' | 'unknownOfAccount', number>
    > = {},
  ) => ({
    speed,
    taken,
    window,
    account: { taken: ofAccount ?? taken, slow: slowOfAccount, unknown: unknownOfAccount },
  });

  it.each([
    ['fast, and alone', a('fast'), none, 0, undefined],
    [
      'fast, while all shares are taken',
      a('fast'),
      { unknown: 200, fast: 0, slow: 300 },
      9,
      undefined,
    ],
    [
      'fast, with as many as it has shown to take',
      a('fast', { taken: 5, window: 5 }),
      none,
      0,
      'origin',
    ],
    ['fast, with all of an origin', a('fast', { taken: 32, window: 99 }), none, 0, 'origin'],
    ['of an account that has all of its own', a('fast', { ofAccount: 64 }), none, 0, 'account'],
    ['slow, and alone', a('slow', { taken: 31 }), { ...none, slow: 31 }, 1, undefined],
    ['slow, beside many', a('slow', { taken: 10 }), { ...none, slow: 90 }, 10, 'slow'],
    [
      'slow, with less than its part',
      a('slow', { taken: 9 }),
      { ...none, slow: 90 },
      10,
      undefined,
    ],
    ['slow, when the share is used up', a('slow'), { ...none, slow: 100 }, 3, 'slow'],
    ['slow, one of more than there are shares', a('slow'), { ...none, slow: 50 }, 500, undefined],
    ['unknown', a('unknown', { taken: 3, window: 4 }), none, 0, undefined],
    ['unknown, with its first few', a('unknown', { taken: 4, window: 4 }), none, 0, 'unknown'],
    ['unknown, when that share is used up', a('unknown'), { ...none, unknown: 100 }, 0, 'unknown'],
    ['unknown, when more hang than expected', a('unknown'), { ...none, slow: 300 }, 9, 'unknown'],
    [
      'unknown, the first of an account that hangs elsewhere',
      a('unknown', { slowOfAccount: 10 }),
      { ...none, slow: 90 },
      10,
      undefined,
    ],
    [
      'unknown, the second of an account that hangs elsewhere',
      a('unknown', { slowOfAccount: 10, unknownOfAccount: 1 }),
      { ...none, slow: 90 },
      10,
      'slow',
    ],
  ] as const)('%s', (_name, receiver, taken, slowAccounts, expected) => {
    expect(refusalOf(receiver, { taken, slowAccounts }, rules)).toBe(expected);
  });
});

describe('the flow to receivers', () => {
  it('gives one that nobody knows a few attempts, and more with each that ends in time', () => {
    const { fill, beginNow } = aFlow();
    const begun = fill('acct_1 https://a.example');
    expect(begun).toHaveLength(2);

    begun[0]!.end();

    expect(fill('acct_1 https://a.example')).toHaveLength(2);
    beginNow('acct_1 https://b.example');
  });

  it('knows one that hangs after a second, though nothing has ended', () => {
    const { fill, pass, taken } = aFlow();
    fill('acct_1 https://a.example');
    expect(taken()).toEqual({ unknown: 2, fast: 0, slow: 0 });

    pass(1_000);

    expect(taken()).toEqual({ unknown: 0, fast: 0, slow: 2 });
  });

  it('takes one for slow until an attempt ends in time while no other hangs', () => {
    const { makeFast, beginNow, pass, taken, fill } = aFlow();
    const receiver = 'acct_1 https://a.example';
    makeFast(receiver);
    const [hanging, other] = [beginNow(receiver), beginNow(receiver)];
    pass(1_000);
    beginNow(receiver).end();
    expect(taken()).toEqual({ unknown: 0, fast: 0, slow: 2 });

    hanging.end();
    other.end();
    beginNow(receiver).end();

    expect(fill(receiver)).toHaveLength(2); // and has to show anew what it takes
    expect(taken()).toEqual({ unknown: 0, fast: 2, slow: 0 });
  });

  it('keeps what is left for fast ones, however many others hang', () => {
    const { fill, pass, makeFast, beginNow, taken } = aFlow();
    makeFast('acct_fast https://a.example');
    for (let second = 0; second < 30; second += 1) {
      for (let account = 0; account < 500; account += 1) {
        fill(`acct_${account} https://dead-${second}.example`);
      }
      pass(1_000);
    }

    const { slow, unknown } = taken();
    expect(slow + unknown).toBeLessThanOrEqual(300);
    for (let count = 0; count < 32; count += 1) beginNow('acct_fast https://a.example');
  });

  it('divides the share of slow receivers evenly between their accounts', () => {
    const { makeSlow, fill } = aFlow();
    const receivers = Array.from({ length: 20 }, (_, index) => `acct_${index} https://a.example`);
    receivers.forEach(makeSlow);
    receivers.forEach((receiver) => {
      fill(receiver)
        .slice(1)
        .forEach((begun) => {
          begun.cancel();
        });
    });

    expect(receivers.map((receiver) => fill(receiver).length)).toEqual(Array(20).fill(4));
  });

  it('lets nobody pass those that wait for a receiver, but whom capacity was kept for', () => {
    const { begin, reserve, setWaiting } = aFlow();
    const receiver = 'acct_1 https://a.example';
    setWaiting(receiver, true);
    expect(begin(receiver)).toBe('unknown');

    expect(reserve(receiver)).toBe(true);

    expect(begin(receiver)).toMatchObject({ end: expect.any(Function) });
    expect(begin(receiver)).toBe('unknown');
  });

  it('gives back what was kept and not used, at once or after half a second', () => {
    const { reserve, unreserve, pass, taken } = aFlow();
    const receiver = 'acct_1 https://a.example';
    for (let count = 0; count < 2; count += 1) reserve(receiver);

    unreserve(receiver, 1);
    expect(taken().unknown).toBe(1);
    pass(500);
    expect(taken().unknown).toBe(0);
  });

  it('learns nothing from an attempt that was cut off', () => {
    const { beginNow, fill } = aFlow();
    for (let count = 0; count < 40; count += 1) beginNow('acct_1 https://a.example').cancel();

    expect(fill('acct_1 https://a.example')).toHaveLength(2);
  });

  it('forgets receivers that nobody has used for ten minutes', () => {
    const { beginNow, pass, forget, size } = aFlow();
    beginNow('acct_1 https://a.example').end();
    beginNow('acct_2 https://b.example');
    pass(600_001);

    forget();

    expect(size()).toBe(1); // the other is still in flight
  });

  it('counts right whatever happens', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(fc.constantFrom('begin', 'end', 'cancel', 'reserve', 'pass'), fc.nat(20)),
          { maxLength: 300 },
        ),
        (steps) => {
          const flow = aFlow({ maxInFlight: 20, maxPerOrigin: 4, maxPerAccount: 6 });
          const inFlight: FlowAttempt[] = [];
          for (const [step, number] of steps) {
            const receiver = `acct_${number % 3} https://${number}.example`;
            if (step === 'begin') {
              const begun = flow.begin(receiver);
              if (typeof begun !== 'string') inFlight.push(begun);
            } else if (step === 'reserve') flow.reserve(receiver);
            else if (step === 'pass') flow.pass(number * 50);
            else inFlight.splice(number % (inFlight.length || 1), 1)[0]?.[step]();
          }
          const all = (): number =>
            Object.values(flow.taken()).reduce((sum, each) => sum + each, 0);
          flow.pass(500); // what was kept is given back
          expect(all()).toBe(inFlight.length);
          for (const begun of inFlight) begun.end();
          expect(flow.taken()).toEqual({ unknown: 0, fast: 0, slow: 0 });
        },
      ),
    );
  });
});
