import { describe, expect, it } from '@jest/globals';
import { eventually } from '@gateway/testing';
import { AccountLease } from '../../../services/api/src/adapters/text-leases/account-lease.ts';
import { AskQueue } from '../../../services/api/src/adapters/text-leases/ask-queue.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose calls end when they are told to. */
function aQueue() {
  const clock = { ms: 0 };
  const calls: { readonly accounts: readonly string[]; readonly end: () => void }[] = [];
  const queue = new AskQueue({
    nowMs: () => clock.ms,
    call: (asked) =>
      new Promise((end) => {
        calls.push({ accounts: asked.map(([lease]) => lease.accountId), end });
      }),
  });
  const want = (...accounts: string[]): Promise<unknown> => {
    for (const account of accounts) queue.add(new AccountLease(account, 0), 'keep');
    return turn();
  };
  return { queue, clock, calls, want, sent: () => calls.map(({ accounts }) => accounts.join()) };
}

describe('leases to be asked for', () => {
  it('go together that are wanted in one turn of the event loop', async () => {
    const { want, sent } = aQueue();

    await want('a', 'b');
    await want('c');

    expect(sent()).toEqual(['a,b', 'c']);
  });

  it('wait for one of two calls, and go together then', async () => {
    const { calls, want, sent } = aQueue();
    await want('a');
    await want('b');
    await want('c');
    await want('d');
    expect(sent()).toEqual(['a', 'b']);

    calls[1]?.end();
    await turn();

    expect(sent()).toEqual(['a', 'b', 'c,d']);
  });

  it('do not wait for calls that are slow, of which eight may be out', async () => {
    const { clock, calls, want, sent } = aQueue();
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    for (const name of names) {
      clock.ms += 51;
      await want(name);
    }
    expect(sent()).toEqual(names.slice(0, 8));

    calls[0]?.end();
    await turn();

    expect(sent()).toEqual(names);
  });

  it('go once the calls that they wait for have become slow', async () => {
    const { clock, want, sent } = aQueue();
    await want('a');
    await want('b');
    await want('c');
    expect(sent()).toEqual(['a', 'b']);
    clock.ms = 51;

    await eventually(() => {
      expect(sent()).toEqual(['a', 'b', 'c']);
    });
  });

  it('are no more than billing takes at once', async () => {
    const { calls, want } = aQueue();

    await want(...Array.from({ length: 1_100 }, (_, index) => `account ${index}`));
    expect(calls.map(({ accounts }) => accounts.length)).toEqual([500, 500]);
    calls[0]?.end();
    await turn();

    expect(calls.map(({ accounts }) => accounts.length)).toEqual([500, 500, 100]);
  });

  it('are quiet when none waits and none is out', async () => {
    const { queue, calls, want } = aQueue();
    expect(queue.isQuiet).toBe(true);
    await want('a');
    expect(queue.isQuiet).toBe(false);

    calls[0]?.end();
    await turn();

    expect(queue.isQuiet).toBe(true);
  });
});
