import { describe, expect, it } from '@jest/globals';
import type { HoldAnswer, HoldRequest } from '@gateway/contracts';
import {
  createTakeHold,
  type TakeHoldPorts,
} from '../../../services/billing/src/use-cases/take-hold.ts';

type Decisions = Awaited<ReturnType<TakeHoldPorts['take']>>;

/** One call of the port that the test answers when it likes. */
interface Statement {
  readonly accountId: string;
  readonly taskIds: readonly string[];
  readonly requests: readonly HoldRequest[];
  /** `held` for every task, unless the test says otherwise of some. */
  answer(others?: Readonly<Record<string, Decisions[number]['outcome']>>): Promise<void>;
  fail(error: Error): Promise<void>;
}

/** A port that records its calls and leaves the answering to the test. */
function aStore(): { readonly statements: Statement[]; readonly take: TakeHoldPorts['take'] } {
  const statements: Statement[] = [];
  return {
    statements,
    take: (accountId, requests) =>
      new Promise<Decisions>((resolve, reject) => {
        statements.push({
          accountId,
          requests,
          taskIds: requests.map((request) => request.task_id),
          answer: async (others = {}) => {
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

/** Asks, and remembers the answer or the failure. */
function ask(
  takeHold: (request: HoldRequest) => Promise<HoldAnswer>,
  request: HoldRequest,
): { outcome: string | undefined } {
  const asked: { outcome: string | undefined } = { outcome: undefined };
  takeHold(request).then(
    (answer) => {
      asked.outcome = answer.outcome;
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

  it('answers with outcome and available quota of the task', async () => {
    const takeHold = createTakeHold({
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

    await store.statements[0]!.answer();
    expect(first.outcome).toBe('held');
    expect(store.statements.map((statement) => statement.taskIds)).toEqual([
      ['a'],
      ['b', 'c', 'd'],
    ]);
    const late = ask(takeHold, aRequest('e'));
    await settled();
    expect(store.statements).toHaveLength(2);
    await store.statements[1]!.answer({ c: 'insufficient' });

    expect(others.map((other) => other.outcome)).toEqual(['held', 'insufficient', 'held']);
    expect(late.outcome).toBeUndefined();
    expect(store.statements[2]!.taskIds).toEqual(['e']);
  });

  it('asks at once again when it has been idle', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('a'));
    await store.statements[0]!.answer();

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
      await store.statements[statement]!.answer();
    }

    expect(store.statements.map((statement) => statement.requests.length)).toEqual([
      1, 200, 200, 50,
    ]);
    expect(new Set(store.statements.flatMap((statement) => statement.taskIds)).size).toBe(451);
    expect(asked.every((each) => each.outcome === 'held')).toBe(true);
  });

  it('names a task once in a statement that is asked for twice, and answers both', async () => {
    const store = aStore();
    const takeHold = createTakeHold(store);
    ask(takeHold, aRequest('first'));
    const twice = [
      ask(takeHold, aRequest('a')),
      ask(takeHold, aRequest('b')),
      ask(takeHold, aRequest('a')),
    ];

    await store.statements[0]!.answer();
    expect(store.statements[1]!.taskIds).toEqual(['a', 'b']);
    await store.statements[1]!.answer();

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
    await store.statements[1]!.answer();

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

    await store.statements[0]!.answer();
    await store.statements[1]!.answer();

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
    await store.statements[0]!.answer();
    const third = ask(takeHold, aRequest('d'));

    await store.statements[1]!.fail(new Error('connection lost'));
    await store.statements[2]!.answer();

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
    await store.statements[1]!.answer();

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
    await store.statements[0]!.answer();
    return { store, asked };
  }

  it('is asked for again by itself, one after the other', async () => {
    const { store, asked } = await aBatch();

    await store.statements[1]!.answer({ a: 'insufficient', b: 'undecided', d: 'undecided' });
    expect(store.statements.slice(2).map((statement) => statement.taskIds)).toEqual([['b']]);
    await store.statements[2]!.answer();
    expect(store.statements.slice(2).map((statement) => statement.taskIds)).toEqual([['b'], ['d']]);
    await store.statements[3]!.answer({ d: 'insufficient' });

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
    await store.statements[0]!.answer();

    await store.statements[1]!.answer({ a: 'undecided' });
    await store.statements[2]!.answer();

    expect(store.statements).toHaveLength(3);
    expect(twice.map((each) => each.outcome)).toEqual(['held', 'held']);
  });

  it('is asked for until another replica is through with the very same task', async () => {
    const { store, asked } = await aBatch();
    await store.statements[1]!.answer({ b: 'undecided' });

    await store.statements[2]!.answer({ b: 'undecided' });
    await store.statements[3]!.answer({ b: 'exists' });

    expect(asked[1]!.outcome).toBe('exists');
  });

  it('fails when it stays undecided, after a bounded number of statements', async () => {
    const { store, asked } = await aBatch();
    await store.statements[1]!.answer({ b: 'undecided' });

    for (let statement = 2; statement < store.statements.length; statement += 1) {
      expect(statement).toBeLessThan(20);
      await store.statements[statement]!.answer({ b: 'undecided' });
    }

    expect(asked[1]!.outcome).toBe('Error: hold for b stayed undecided');
  });

  it('does not spoil the answers of its neighbours when asking again fails', async () => {
    const { store, asked } = await aBatch();
    await store.statements[1]!.answer({ a: 'undecided', c: 'undecided' });

    await store.statements[2]!.fail(new Error('connection lost'));
    await store.statements[3]?.answer();

    expect(asked.map((each) => each.outcome)).toEqual([
      'Error: connection lost',
      'held',
      'held',
      'held',
    ]);
  });

  it('does not keep its neighbours waiting that were decided', async () => {
    const { store, asked } = await aBatch();

    await store.statements[1]!.answer({ a: 'undecided' });

    expect(asked.map((each) => each.outcome)).toEqual([undefined, 'held', 'held', 'held']);
  });
});
