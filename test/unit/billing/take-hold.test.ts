import { describe, expect, it } from '@jest/globals';
import type { HoldRequest } from '@gateway/contracts';
import { eventually, wideBounds } from '@gateway/testing';
import {
  createTakeHold,
  type TakeHold,
  type TakeHoldPorts,
} from '../../../services/billing/src/use-cases/take-hold.ts';

type Decisions = Awaited<ReturnType<TakeHoldPorts['take']>>;

/** One call of the port that the test resolves when it likes. */
interface Statement {
  readonly accountId: string;
  readonly taskIds: readonly string[];
  readonly requests: readonly HoldRequest[];
  readonly isWanted: () => boolean;
  /** `held` for every task, unless the test says otherwise of some. */
  respond(others?: Readonly<Record<string, Decisions[number]['outcome']>>): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** A port that records its calls and leaves the responses to the test. */
function aStore(
  bounds: Partial<TakeHoldPorts['bounds']> = {},
): TakeHoldPorts & { readonly statements: Statement[]; readonly givenBack: string[] } {
  const statements: Statement[] = [];
  const givenBack: string[] = [];
  return {
    statements,
    givenBack,
    bounds: { ...wideBounds, ...bounds },
    giveBack: (taskId) => {
      givenBack.push(taskId);
      return Promise.resolve();
    },
    take: (accountId, requests, isWanted) =>
      new Promise<Decisions>((resolve, reject) => {
        statements.push({
          accountId,
          requests,
          isWanted,
          taskIds: requests.map((request) => request.task_id),
          respond: async (others = {}) => {
            resolve(
              requests.map(({ task_id: taskId }) => ({
                taskId,
                outcome: others[taskId] ?? 'held',
                availableQuota: 100,
              })),
            );
            await settled();
          },
          fail: async (error) => {
            reject(error);
            await settled();
          },
        });
      }),
  };
}

/** Lets everything happen that is waiting for nothing but its turn. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const aRequest = (taskId: string, accountId = 'acct_a', quota = 50): HoldRequest => ({
  task_id: taskId,
  account_id: accountId,
  quota,
  seconds: 5,
  second_quota: quota / 5,
});

/** Asks, and remembers the response or the failure. */
function ask(
  takeHold: TakeHold,
  request: HoldRequest,
  signal?: AbortSignal,
): { outcome: string | undefined } {
  const asked: { outcome: string | undefined } = { outcome: undefined };
  takeHold(request, signal).then(
    (response) => {
      asked.outcome = response.outcome;
    },
    (error: unknown) => {
      asked.outcome = String(error);
    },
  );
  return asked;
}

describe('taking holds of one account', () => {
  it('asks the store at once for the first', () => {
    const store = aStore();

    ask(createTakeHold(store), aRequest('a'));

    expect(store.statements).toMatchObject([{ accountId: 'acct_a', requests: [aRequest('a')] }]);
  });

  it('returns the outcome and the available quota of the task', async () => {
    const takeHold = createTakeHold({
      ...aStore(),
      take: () => Promise.resolve([{ taskId: 'a', outcome: 'insufficient', availableQuota: 7 }]),
    });

    await expect(takeHold(aRequest('a'))).resolves.toEqual({
      outcome: 'insufficient',
      available_quota: 7,
    });
  });

  it('has one statement under way, and takes together what came meanwhile, in order', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    const first = ask(takeHold, aRequest('a'));
    const others = ['b', 'c', 'd'].map((taskId) => ask(takeHold, aRequest(taskId)));
    await settled();
    expect(store.statements).toHaveLength(1);

    await store.statements[0]!.respond();
    expect(first.outcome).toBe('held');
    expect(store.statements.map((statement) => statement.taskIds)).toEqual([
      ['a'],
      ['b', 'c', 'd'],
    ]);
    const late = ask(takeHold, aRequest('e'));
    await settled();
    expect(store.statements).toHaveLength(2);
    await store.statements[1]!.respond({ c: 'insufficient' });

    expect(others.map((other) => other.outcome)).toEqual(['held', 'insufficient', 'held']);
    expect(late.outcome).toBeUndefined();
    expect(store.statements[2]!.taskIds).toEqual(['e']);
  });

  it('asks at once again when it has been idle', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('a'));
    await store.statements[0]!.respond();

    ask(takeHold, aRequest('b'));

    expect(store.statements).toHaveLength(2);
  });

  it('never puts more than two hundred into one statement', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    const asked = Array.from({ length: 451 }, (_, index) =>
      ask(takeHold, aRequest(`task-${index}`)),
    );

    for (let statement = 0; statement < 4; statement += 1) {
      await store.statements[statement]!.respond();
    }

    expect(store.statements.map((statement) => statement.requests.length)).toEqual([
      1, 200, 200, 50,
    ]);
    expect(new Set(store.statements.flatMap((statement) => statement.taskIds)).size).toBe(451);
    expect(asked.every((each) => each.outcome === 'held')).toBe(true);
  });

  it('names a task once in a statement that is asked for twice, and resolves both', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('first'));
    const twice = [
      ask(takeHold, aRequest('a')),
      ask(takeHold, aRequest('b')),
      ask(takeHold, aRequest('a')),
    ];

    await store.statements[0]!.respond();
    expect(store.statements[1]!.taskIds).toEqual(['a', 'b']);
    await store.statements[1]!.respond();

    expect(twice.map((each) => each.outcome)).toEqual(['held', 'held', 'held']);
  });
});

describe('taking holds of several accounts', () => {
  it('does not make one wait for another', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);

    const [slow, quick] = [
      ask(takeHold, aRequest('a', 'acct_slow')),
      ask(takeHold, aRequest('b', 'acct_quick')),
    ];
    await store.statements[1]!.respond();

    expect(store.statements.map((statement) => statement.accountId)).toEqual([
      'acct_slow',
      'acct_quick',
    ]);
    expect([slow.outcome, quick.outcome]).toEqual([undefined, 'held']);
  });

  it('never mixes them in one statement', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    for (let index = 0; index < 6; index += 1) {
      ask(takeHold, aRequest(`task-${index}`, `acct_${index % 2}`));
    }

    await store.statements[0]!.respond();
    await store.statements[1]!.respond();

    expect(store.statements).toHaveLength(4);
    for (const statement of store.statements) {
      expect(new Set(statement.requests.map((request) => request.account_id))).toEqual(
        new Set([statement.accountId]),
      );
    }
  });
});

describe('a statement that fails', () => {
  it('fails those who were in it, and nobody behind them', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    const first = ask(takeHold, aRequest('a'));
    const second = [ask(takeHold, aRequest('b')), ask(takeHold, aRequest('c'))];
    await store.statements[0]!.respond();
    const third = ask(takeHold, aRequest('d'));

    await store.statements[1]!.fail(new Error('connection lost'));
    await store.statements[2]!.respond();

    expect([first, ...second, third].map((each) => each.outcome)).toEqual([
      'held',
      'Error: connection lost',
      'Error: connection lost',
      'held',
    ]);
  });

  it('leaves the account usable', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('a'));
    await store.statements[0]!.fail(new Error('connection lost'));

    const again = ask(takeHold, aRequest('a'));
    await store.statements[1]!.respond();

    expect(again.outcome).toBe('held');
  });
});

describe('a task that was undecided among its neighbours', () => {
  /** A batch of four behind a first request. */
  async function aBatch(): Promise<{
    readonly store: ReturnType<typeof aStore>;
    readonly asked: { outcome: string | undefined }[];
  }> {
    const store = aStore();
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('first'));
    const asked = ['a', 'b', 'c', 'd'].map((taskId) => ask(takeHold, aRequest(taskId)));
    await store.statements[0]!.respond();
    return { store, asked };
  }

  it('is asked for again by itself, one after the other', async () => {
    const { store, asked } = await aBatch();

    await store.statements[1]!.respond({ a: 'insufficient', b: 'undecided', d: 'undecided' });
    expect(store.statements.slice(2).map((statement) => statement.taskIds)).toEqual([['b']]);
    await store.statements[2]!.respond();
    expect(store.statements.slice(2).map((statement) => statement.taskIds)).toEqual([['b'], ['d']]);
    await store.statements[3]!.respond({ d: 'insufficient' });

    expect(asked.map((each) => each.outcome)).toEqual([
      'insufficient',
      'held',
      'held',
      'insufficient',
    ]);
  });

  it('is asked for once when two callers wait for it', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('first'));
    const twice = [ask(takeHold, aRequest('a')), ask(takeHold, aRequest('a'))];
    await store.statements[0]!.respond();

    await store.statements[1]!.respond({ a: 'undecided' });
    await store.statements[2]!.respond();

    expect(store.statements).toHaveLength(3);
    expect(twice.map((each) => each.outcome)).toEqual(['held', 'held']);
  });

  it('is asked for until another replica is through with the very same task', async () => {
    const { store, asked } = await aBatch();
    await store.statements[1]!.respond({ b: 'undecided' });

    await store.statements[2]!.respond({ b: 'undecided' });
    await store.statements[3]!.respond({ b: 'exists' });

    expect(asked[1]!.outcome).toBe('exists');
  });

  it('fails when it stays undecided, after a bounded number of statements', async () => {
    const { store, asked } = await aBatch();
    await store.statements[1]!.respond({ b: 'undecided' });

    for (let statement = 2; statement < store.statements.length; statement += 1) {
      expect(statement).toBeLessThan(20);
      await store.statements[statement]!.respond({ b: 'undecided' });
    }

    expect(asked[1]!.outcome).toBe('Error: hold for b stayed undecided');
  });

  it('does not spoil the results of its neighbours when asking again fails', async () => {
    const { store, asked } = await aBatch();
    await store.statements[1]!.respond({ a: 'undecided', c: 'undecided' });

    await store.statements[2]!.fail(new Error('connection lost'));
    await store.statements[3]?.respond();

    expect(asked.map((each) => each.outcome)).toEqual([
      'Error: connection lost',
      'held',
      'held',
      'held',
    ]);
  });

  it('does not keep its neighbours waiting that were decided', async () => {
    const { store, asked } = await aBatch();

    await store.statements[1]!.respond({ a: 'undecided' });

    expect(asked.map((each) => each.outcome)).toEqual([undefined, 'held', 'held', 'held']);
  });
});

describe('taking holds whose callers have gone', () => {
  it('does not take one whose caller went while it waited', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    const caller = new AbortController();
    ask(takeHold, aRequest('a'));
    const gone = ask(takeHold, aRequest('b'), caller.signal);
    ask(takeHold, aRequest('c'));

    caller.abort();
    await settled();
    expect(gone.outcome).toMatch(/the caller does not wait any longer/);
    await store.statements[0]!.respond();

    expect(store.statements.map(({ taskIds }) => taskIds)).toEqual([['a'], ['c']]);
    expect(store.givenBack).toEqual([]);
  });

  it('gives back one that was being taken when its caller went', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    const callers = [new AbortController(), new AbortController()];
    const [first] = callers.map(({ signal }, index) =>
      ask(takeHold, aRequest(`task-${index}`, `acct_${index}`), signal),
    );
    for (const caller of callers) caller.abort();

    await store.statements[0]!.respond();
    await store.statements[1]!.respond({ 'task-1': 'insufficient' });

    expect(first!.outcome).toMatch(/nothing was reserved/);
    expect(store.givenBack).toEqual(['task-0']);
  });

  it('keeps it for a caller that asks again already', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    const caller = new AbortController();
    ask(takeHold, aRequest('a'), caller.signal);
    caller.abort();
    const again = ask(takeHold, aRequest('a'));

    await store.statements[0]!.respond();
    await store.statements[1]!.respond({ a: 'exists' });

    expect(again.outcome).toBe('exists');
    expect(store.givenBack).toEqual([]);
  });

  it('tells the store whether anybody waits, and does not ask again when nobody does', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    const caller = new AbortController();
    const gone = ask(takeHold, aRequest('a'), caller.signal);
    await store.statements[0]!.respond({ a: 'undecided' });
    expect(store.statements.map(({ isWanted }) => isWanted())).toEqual([true, true]);

    caller.abort();
    expect(store.statements.map(({ isWanted }) => isWanted())).toEqual([false, false]);
    await store.statements[1]!.respond({ a: 'undecided' });

    expect(store.statements).toHaveLength(2);
    expect(gone.outcome).toMatch(/the caller does not wait any longer/);
  });

  it('takes nothing for one that had gone before it asked', async () => {
    const store = aStore();
    const asked = ask(createTakeHold(store), aRequest('a'), AbortSignal.abort());
    await settled();

    expect(asked.outcome).toMatch(/nothing was reserved/);
    expect(store.statements).toEqual([]);
  });
});

describe('holds that wait', () => {
  it('are refused beyond so many of one account, and of all together', async () => {
    const store = aStore({ mostWaiting: 2, mostWaitingInAll: 3 });
    const takeHold = createTakeHold(store);
    const asked = ['a', 'b', 'c', 'd'].map((taskId) => ask(takeHold, aRequest(taskId)));
    const others = ['e', 'f', 'g'].map((taskId) => ask(takeHold, aRequest(taskId, 'acct_b')));
    await settled();

    expect([asked, others].map((all) => all.map(({ outcome }) => outcome !== undefined))).toEqual([
      [false, false, false, true],
      [false, false, true],
    ]);
    expect(asked[3]!.outcome).toMatch(/as many reservations of this account are waiting/);
    await store.statements[0]!.respond();
    const later = ask(takeHold, aRequest('h'));
    await settled();
    expect(later.outcome).toBeUndefined();
  });

  it('are refused when they waited too long, and not taken', async () => {
    const store = aStore({ waitMs: 20 });
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('a'));
    const waiting = ask(takeHold, aRequest('b'));

    await eventually(() => {
      expect(waiting.outcome).toMatch(/waited too long/);
    });
    await store.statements[0]!.respond();
    expect(store.statements).toHaveLength(1);
  });
});
