import { describe, expect, it } from '@jest/globals';
import { createGate } from '../../../services/callback-dispatcher/src/adapters/gate.ts';
import { createFlow } from '../../../services/callback-dispatcher/src/use-cases/flow.ts';
import type {
  SendPermit,
  SendOutcome,
} from '../../../services/callback-dispatcher/src/use-cases/attempt.ts';

const responded: SendOutcome = {
  kind: 'responded',
  status: 500,
  headers: {},
  body: new Uint8Array(),
  durationMs: 1,
  remoteAddress: '192.0.2.7',
};
const failed = (failure: 'connection_refused' | 'blocked_address'): SendOutcome => ({
  kind: 'failed',
  class: failure,
  detail: 'no',
  durationMs: 1,
});

/**
 * A gate over limits of this process alone: two at one origin, three for one account; over all
 * replicas as many, or `elsewhere`.
 */
function aGate({
  isOpen = false,
  elsewhere = {},
}: {
  readonly isOpen?: boolean;
  readonly elsewhere?: Readonly<Record<string, number>>;
} = {}) {
  const inUse = new Map<string, number>();
  const heard: string[] = [];
  const flow = createFlow(
    { maxInFlight: 100, maxPerOrigin: 2, maxPerAccount: 3, slowAfterMs: 1_000 },
    () => 0,
  );
  const acquire = createGate({
    flow,
    waiting: {
      rest: (receiver, reason) => {
        heard.push(`${receiver} rests: ${reason}`);
      },
      responded: (receiver) => {
        heard.push(`responded ${receiver}`);
      },
    },
    maxPerOrigin: 2,
    maxPerAccount: 3,
    limits: {
      slots: {
        isWanted: () => false,
        acquire(subject, limit) {
          const used = inUse.get(subject) ?? 0;
          if (used >= limit - (elsewhere[subject] ?? 0)) return undefined;
          inUse.set(subject, used + 1);
          return {
            release: () => {
              inUse.set(subject, (inUse.get(subject) ?? 0) - 1);
            },
          };
        },
      },
      breakers: {
        mayTry: () => !isOpen,
        states: () => new Map(),
        succeeded: (name) => {
          heard.push(`succeeded ${name}`);
        },
        failed: (name) => {
          heard.push(`failed ${name}`);
        },
      },
    },
  });
  return {
    heard,
    taken: () => Object.values(flow.taken()).reduce((sum, each) => sum + each, 0),
    inUse: () => [...inUse.values()].reduce((sum, each) => sum + each, 0),
    acquire: (url: string, { accountId = 'acct_1', isForced = false } = {}) =>
      acquire({ accountId, url, isForced }),
  };
}
const release = (permit: SendPermit, outcome: SendOutcome | undefined, attempt = 1): void => {
  if (permit.kind === 'granted') permit.release(outcome, attempt);
};

describe('the gate to a receiver', () => {
  it('lets so many in to one origin of an account, whatever the path, and the next when one has left', async () => {
    const { acquire, inUse } = aGate();
    const first = await acquire('https://a.example/1');
    await acquire('https://a.example/2');

    expect(await acquire('https://a.example/3')).toEqual({
      kind: 'deferred',
      receiver: 'acct_1 https://a.example',
      reason: 'origin',
    });
    expect(await acquire('https://a.example/3', { accountId: 'acct_2' })).toMatchObject({
      kind: 'granted',
    });
    release(first, responded);
    expect(await acquire('https://a.example/3')).toMatchObject({ kind: 'granted' });
    expect(inUse()).toBe(6); // three pushes, each with a place at its origin and one of its account
  });

  it('lets so many in for one account, and keeps no place of whom it defers', async () => {
    const { acquire, inUse } = aGate();
    for (const host of ['a', 'b', 'c']) await acquire(`https://${host}.example/`);

    expect(await acquire('https://d.example/')).toMatchObject({
      kind: 'deferred',
      reason: 'account',
    });
    expect(inUse()).toBe(6);
  });

  it.each([
    ['origin', 'origin acct_1 https://a.example'],
    ['account', 'account acct_1'],
  ])('lets nobody in while other replicas have all slots of the %s', async (reason, subject) => {
    const { acquire, heard, inUse, taken } = aGate({ elsewhere: { [subject]: 3 } });

    expect(await acquire('https://a.example/')).toMatchObject({ kind: 'deferred', reason });
    expect(heard).toEqual(['acct_1 https://a.example rests: slots']);
    expect([inUse(), taken()]).toEqual([0, 0]);
  });

  it('lets nobody in while the origin is left alone, but for whom somebody asked', async () => {
    const { acquire, heard, inUse, taken } = aGate({ isOpen: true });

    expect(await acquire('https://a.example/')).toMatchObject({
      kind: 'deferred',
      reason: 'circuit',
    });
    expect(heard).toEqual(['acct_1 https://a.example rests: breaker']);
    expect([inUse(), taken()]).toEqual([0, 0]);
    expect(await acquire('https://a.example/', { isForced: true })).toMatchObject({
      kind: 'granted',
    });
  });

  it.each<[string, SendOutcome | undefined, number, string[]]>([
    [
      'any response speaks for the origin',
      responded,
      1,
      ['succeeded acct_1 https://a.example', 'responded acct_1 https://a.example'],
    ],
    [
      'a first attempt that did not reach it speaks against it',
      failed('connection_refused'),
      1,
      ['failed acct_1 https://a.example'],
    ],
    ['a retry says nothing new', failed('connection_refused'), 2, []],
    ['a refusal of ours says nothing about it', failed('blocked_address'), 1, []],
    ['an attempt that never began says nothing', undefined, 1, []],
  ])('%s', async (_name, outcome, attempt, expected) => {
    const { acquire, heard, inUse, taken } = aGate();

    release(await acquire('https://a.example/hook'), outcome, attempt);

    expect(heard).toEqual(expected);
    expect([inUse(), taken()]).toEqual([0, 0]);
  });
});
