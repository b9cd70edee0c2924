import { describe, expect, it } from '@jest/globals';
import {
  createGatheredTake,
  type GatherHoldsPorts,
} from '../../../services/billing/src/use-cases/gather-holds.ts';

type Orders = Parameters<GatherHoldsPorts['takeTogether']>[0];
type Decisions = Awaited<ReturnType<GatherHoldsPorts['take']>>;

/** A statement for several accounts, which ends when the test says so. */
interface Statement {
  readonly accounts: readonly string[];
  /** All of them are held but those named, which are locked. */
  end(locked?: readonly string[]): Promise<void>;
  fail(error: Error): Promise<void>;
}

const held = (accountId: string): Decisions => [
  { taskId: `task of ${accountId}`, outcome: 'held', availableQuota: 1 },
];

/** A store that records what it is asked; an account alone is held at once, or when told so. */
function aStore({
  lockedFor = [] as readonly string[],
  ...options
}: { lockedFor?: readonly string[] } & Pick<GatherHoldsPorts, 'gather'> = {}) {
  const statements: Statement[] = [];
  const alone: string[] = [];
  const take = createGatheredTake({
    ...options,
    take: (accountId) => {
      alone.push(accountId);
      return lockedFor.includes(accountId)
        ? new Promise(() => undefined)
        : Promise.resolve(held(accountId));
    },
    takeTogether: (orders: Orders) =>
      new Promise((resolve, reject) => {
        const accounts = orders.map(({ accountId }) => accountId);
        statements.push({
          accounts,
          end: async (locked = []) => {
            const free = accounts.filter((account) => !locked.includes(account));
            resolve(new Map(free.map((account) => [account, held(account)])));
            await settled();
          },
          fail: async (error) => {
            reject(error);
            await settled();
          },
        });
      }),
  });
  const asked = (accountId: string, isWanted = (): boolean => true): Promise<Decisions> =>
    take(accountId, [], isWanted);
  return { statements, alone, asked, accounts: () => statements.map((one) => one.accounts) };
}

const settled = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

const named = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}${index}`);

describe('holds of many accounts', () => {
  it('go at once while nothing is under way, and then with the next statement', async () => {
    const { statements, asked, accounts } = aStore();
    const first = [asked('a'), asked('b')];
    const later = [asked('c'), asked('d'), asked('e')];
    expect(accounts()).toEqual([['a'], ['b']]);

    await statements[1]?.end();

    expect(accounts()).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
    await statements[0]?.end();
    await statements[2]?.end();
    await expect(Promise.all([...first, ...later])).resolves.toEqual(
      ['a', 'b', 'c', 'd', 'e'].map(held),
    );
  });

  it('of one turn of the event loop go together, where they are gathered', async () => {
    const { statements, asked, accounts } = aStore({ gather: settled });
    const first = [asked('a'), asked('b')];
    expect(accounts()).toEqual([]);
    await settled();
    const later = [asked('c'), asked('d')];
    await settled();
    expect(accounts()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);

    // With two statements under way, the end of one is what is waited for.
    const last = [asked('e'), asked('f')];
    await settled();
    expect(accounts()).toHaveLength(2);
    for (const at of [0, 1, 2]) await statements[at]!.end();
    await expect(Promise.all([...first, ...later, ...last])).resolves.toEqual(
      ['a', 'b', 'c', 'd', 'e', 'f'].map(held),
    );
  });

  it('are at most 64 in a statement', async () => {
    const { statements, asked, accounts } = aStore();
    void ['a', 'b', ...named('c', 70)].map((account) => asked(account));

    await statements[0]?.end();
    await statements[1]?.end();

    expect(accounts().map(({ length }) => length)).toEqual([1, 1, 64, 6]);
  });

  it('whose callers have left meanwhile are not taken, and nobody waits for them', async () => {
    const { statements, alone, asked, accounts } = aStore();
    void [asked('a'), asked('b')];
    let isWanted = true;
    const left = asked('c', () => isWanted);
    const stays = asked('d');

    isWanted = false;
    await statements[0]?.end();

    expect(accounts()).toEqual([['a'], ['b'], ['d']]);
    await expect(left).resolves.toEqual([]);
    await statements[2]?.end();
    await expect(stays).resolves.toEqual(held('d'));
    expect(alone).toEqual([]);
  });

  it('of an account that is locked are taken alone, and nobody waits for that', async () => {
    const { statements, alone, asked } = aStore({ lockedFor: ['a', 'b'] });
    void [asked('a'), asked('b')];
    const other = asked('c');

    await statements[0]?.end(['a']);
    await statements[1]?.end(['b']);
    await statements[2]?.end();

    expect(alone).toEqual(['a', 'b']);
    await expect(other).resolves.toEqual(held('c'));
  });

  it('are taken one by one where a value is refused', async () => {
    const { statements, alone, asked } = aStore();
    const results = [asked('a'), asked('b'), asked('c'), asked('d')];
    await statements[0]?.end();
    await statements[1]?.end();

    await statements[2]?.fail(Object.assign(new Error('check constraint'), { code: '23514' }));

    expect(alone).toEqual(['c', 'd']);
    await expect(Promise.all(results)).resolves.toEqual(['a', 'b', 'c', 'd'].map(held));
  });

  it('all fail where the database does, and what comes next is asked again', async () => {
    const { statements, alone, asked } = aStore();
    const lost = asked('a');
    const seen = expect(lost).rejects.toThrow('connection lost');

    await statements[0]?.fail(new Error('connection lost'));

    await seen;
    expect(alone).toEqual([]);
    const next = asked('b');
    await statements[1]?.end();
    await expect(next).resolves.toEqual(held('b'));
  });
});
