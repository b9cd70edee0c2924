import { describe, expect, it } from '@jest/globals';
import { createGate } from '../../../services/callback-dispatcher/src/adapters/gate.ts';
import type {
  SendPermit,
  SendOutcome,
} from '../../../services/callback-dispatcher/src/use-cases/attempt.ts';

const answered: SendOutcome = {
  kind: 'answered',
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

/** A gate over limits of this process alone: two at one origin, three for one account. */
function aGate({ isOpen = false }: { readonly isOpen?: boolean } = {}) {
  const inUse = new Map<string, number>();
  const heard: string[] = [];
  const acquire = createGate({
    maxPerOrigin: 2,
    maxPerAccount: 3,
    now: () => 0,
    limits: {
      slots: {
        acquire(subject, limit) {
          const used = inUse.get(subject) ?? 0;
          if (used >= limit) return undefined;
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
      afterMs: 45,
      reason: 'origin',
    });
    expect(await acquire('https://a.example/3', { accountId: 'acct_2' })).toMatchObject({
      kind: 'granted',
    });
    release(first, answered);
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

  it('lets nobody in while the origin is left alone, but for whom somebody asked', async () => {
    const { acquire, inUse } = aGate({ isOpen: true });

    expect(await acquire('https://a.example/')).toMatchObject({
      kind: 'deferred',
      reason: 'circuit',
    });
    expect(inUse()).toBe(0);
    expect(await acquire('https://a.example/', { isForced: true })).toMatchObject({
      kind: 'granted',
    });
  });

  it.each<[string, SendOutcome | undefined, number, string[]]>([
    ['any answer speaks for the origin', answered, 1, ['succeeded acct_1 https://a.example']],
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
    const { acquire, heard, inUse } = aGate();

    release(await acquire('https://a.example/hook'), outcome, attempt);

    expect(heard).toEqual(expected);
    expect(inUse()).toBe(0);
  });
});
