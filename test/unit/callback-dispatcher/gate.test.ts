import { describe, expect, it } from '@jest/globals';
import { createGate } from '../../../services/callback-dispatcher/src/adapters/gate.ts';
import type {
  Entry,
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
  const enter = createGate({
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
      circuits: {
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
    enter: (url: string, { accountId = 'acct_1', insists = false } = {}) =>
      enter({ accountId, url, insists }),
  };
}
const leave = (entry: Entry, outcome: SendOutcome | undefined, attempt = 1): void => {
  if (entry.kind === 'enter') entry.leave(outcome, attempt);
};

describe('the gate to a receiver', () => {
  it('lets so many in to one origin of an account, whatever the path, and the next when one has left', async () => {
    const { enter, inUse } = aGate();
    const first = await enter('https://a.example/1');
    await enter('https://a.example/2');

    expect(await enter('https://a.example/3')).toEqual({
      kind: 'defer',
      afterMs: 45,
      reason: 'origin',
    });
    expect(await enter('https://a.example/3', { accountId: 'acct_2' })).toMatchObject({
      kind: 'enter',
    });
    leave(first, answered);
    expect(await enter('https://a.example/3')).toMatchObject({ kind: 'enter' });
    expect(inUse()).toBe(6); // three pushes, each with a place at its origin and one of its account
  });

  it('lets so many in for one account, and keeps no place of whom it defers', async () => {
    const { enter, inUse } = aGate();
    for (const host of ['a', 'b', 'c']) await enter(`https://${host}.example/`);

    expect(await enter('https://d.example/')).toMatchObject({ kind: 'defer', reason: 'account' });
    expect(inUse()).toBe(6);
  });

  it('lets nobody in while the origin is left alone, but for whom somebody asked', async () => {
    const { enter, inUse } = aGate({ isOpen: true });

    expect(await enter('https://a.example/')).toMatchObject({ kind: 'defer', reason: 'circuit' });
    expect(inUse()).toBe(0);
    expect(await enter('https://a.example/', { insists: true })).toMatchObject({ kind: 'enter' });
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
    const { enter, heard, inUse } = aGate();

    leave(await enter('https://a.example/hook'), outcome, attempt);

    expect(heard).toEqual(expected);
    expect(inUse()).toBe(0);
  });
});
