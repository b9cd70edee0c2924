import { describe, expect, it } from '@jest/globals';
import type { HoldResponse } from '@gateway/contracts';
import { eventually } from '@gateway/testing';
import { createHoldBatches } from '../../../services/api/src/adapters/hold-batches.ts';
import type {
  HoldAsk,
  HoldCalls,
  WaitingAsk,
} from '../../../services/api/src/adapters/hold-calls.ts';

const held: HoldResponse = { outcome: 'held', available_quota: 1 };

const askFor = (taskId: string): HoldAsk => ({
  request: { task_id: taskId, account_id: 'a', quota: 1, seconds: 1, second_quota: 1 },
  headers: {},
});

const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

/** One call for several, which ends when the test says so. */
interface Call {
  readonly taskIds: readonly string[];
  decide(taskId: string, response?: HoldResponse): Promise<void>;
  end(outcome?: Awaited<ReturnType<HoldCalls['askTogether']>>): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** A billing service that records what it is asked; a hold alone is taken at once. */
function aBilling({ slowAfterMs = 60_000 } = {}) {
  const calls: Call[] = [];
  const alone: string[] = [];
  const clock = { ms: 0 };
  const ask = createHoldBatches({
    now: () => clock.ms,
    slowAfterMs,
    askAlone: ({ request }) => {
      alone.push(request.task_id);
      return Promise.resolve(held);
    },
    askTogether: (asks: readonly WaitingAsk[]) =>
      new Promise((resolve, reject) => {
        const idOf = ({ request }: HoldAsk): string => request.task_id;
        calls.push({
          taskIds: asks.map(idOf),
          decide: (taskId, response = held) => {
            asks.find((one) => idOf(one) === taskId)?.resolve(response);
            return turn();
          },
          end: (outcome = 'decided') => {
            if (outcome === 'decided') for (const one of asks) one.resolve(held);
            resolve(outcome);
            return turn();
          },
          fail: (error) => {
            reject(error);
            return turn();
          },
        });
      }),
  });
  const asked = (...taskIds: string[]): Promise<HoldResponse>[] =>
    taskIds.map((taskId) => ask(askFor(taskId)));
  return { calls, alone, clock, asked, together: () => calls.map(({ taskIds }) => taskIds) };
}

describe('holds that are asked for', () => {
  it('go to billing in one call when they come in one turn', async () => {
    const { calls, asked, alone, together } = aBilling();
    const holds = asked('a', 'b', 'c');
    expect(together()).toEqual([]);

    await turn();

    expect(together()).toEqual([['a', 'b', 'c']]);
    await calls[0]?.end();
    await expect(Promise.all(holds)).resolves.toEqual([held, held, held]);
    expect(alone).toEqual([]);
  });

  it('go by themselves when nothing comes with them', async () => {
    const { asked, alone, together } = aBilling();

    await expect(Promise.all(asked('a'))).resolves.toEqual([held]);

    expect(alone).toEqual(['a']);
    expect(together()).toEqual([]);
  });

  it('are at most 64 in a call', async () => {
    const { asked, together } = aBilling();
    void asked(...Array.from({ length: 100 }, (_, index) => `t${index}`));

    await turn();

    expect(together().map(({ length }) => length)).toEqual([64, 36]);
  });

  it('wait while two calls are under way, and go together when one has ended', async () => {
    const { calls, asked, together } = aBilling();
    void asked('a', 'b');
    await turn();
    void asked('c', 'd');
    await turn();
    void asked('e');
    await turn();
    void asked('f');
    expect(together()).toHaveLength(2);

    await calls[1]?.end();

    expect(together()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
      ['e', 'f'],
    ]);
  });

  it('do not wait for calls that take long', async () => {
    const { asked, together } = aBilling({ slowAfterMs: 5 });
    void asked('a', 'b');
    await turn();
    void asked('c', 'd');
    await turn();

    void asked('e', 'f');

    await eventually(() => {
      expect(together()).toHaveLength(3);
    });
  });

  it('are told before the others are', async () => {
    const { calls, asked } = aBilling();
    const [, b] = asked('a', 'b');
    await turn();

    await calls[0]?.decide('b', { outcome: 'insufficient', available_quota: 0 });

    await expect(b).resolves.toEqual({ outcome: 'insufficient', available_quota: 0 });
  });

  it('keep what they were told when the call fails for the others, and the next go as usual', async () => {
    const { calls, asked, together } = aBilling();
    const [a, b] = asked('a', 'b');
    await turn();
    await calls[0]?.decide('a');

    await Promise.all([
      expect(b).rejects.toThrow('the connection broke'),
      calls[0]?.fail(new Error('the connection broke')),
    ]);

    await expect(a).resolves.toEqual(held);
    void asked('c', 'd');
    await turn();
    expect(together()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('go one by one to a billing service of the version before, and after ten seconds together again', async () => {
    const { calls, asked, alone, clock, together } = aBilling();
    const first = asked('a', 'b');
    await turn();
    await calls[0]?.end('unknown');
    await expect(Promise.all(first)).resolves.toEqual([held, held]);

    clock.ms = 9_999;
    await Promise.all(asked('c', 'd'));
    expect(alone).toEqual(['a', 'b', 'c', 'd']);
    clock.ms = 10_000;
    void asked('e', 'f');
    await turn();

    expect(together()).toEqual([
      ['a', 'b'],
      ['e', 'f'],
    ]);
  });

  it('go one by one when they were refused together, and the next ones together', async () => {
    const { calls, asked, alone, together } = aBilling();
    const first = asked('a', 'b');
    await turn();
    await calls[0]?.end('refused');

    await expect(Promise.all(first)).resolves.toEqual([held, held]);
    expect(alone).toEqual(['a', 'b']);
    void asked('c', 'd');
    await turn();
    expect(together()).toHaveLength(2);
  });
});
