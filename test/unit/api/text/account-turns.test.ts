import { describe, expect, it } from '@jest/globals';
import { AccountTurns } from '../../../../services/api/src/text/turns/account-turns.ts';

interface Named {
  readonly account: string;
  readonly dueMs: number;
  readonly name: string;
}

const waiter = (name: string, dueMs = 100): Named => ({
  account: name.replace(/\d+$/, ''),
  dueMs,
  name,
});
const turnsWith = (held: Record<string, number>, waiting: string[]): AccountTurns<Named> => {
  const turns = new AccountTurns<Named>();
  for (const [account, count] of Object.entries(held)) {
    for (let each = 0; each < count; each += 1) turns.held(account);
  }
  for (const name of waiting) turns.add(waiter(name));
  return turns;
};
/** Whose turn it is while slots are taken and none ends. */
const drawn = (turns: AccountTurns<Named>, limit: number, count: number): string[] =>
  Array.from({ length: count }, () => {
    const next = turns.next(limit);
    if (next !== undefined) turns.held(next.account);
    return next?.name ?? 'nobody';
  });

describe('turns of accounts', () => {
  it('go round, each with its oldest request first', () => {
    const turns = turnsWith({}, ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']);

    expect(drawn(turns, 100, 7)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'nobody']);
    expect(turns.waiting).toBe(0);
  });

  it('pass over an account with its share while another holds less', () => {
    const turns = turnsWith({ a: 10 }, ['a1', 'a2', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6']);

    expect(drawn(turns, 10, 8)).toEqual(['b1', 'b2', 'b3', 'b4', 'b5', 'a1', 'b6', 'a2']);
  });

  it('count those who hold slots and want no more among the accounts that share', () => {
    const turns = turnsWith({ a: 4, b: 3, c: 1 }, ['a1', 'b1', 'b2']);
    turns.released('b');

    // 9 among three: b holds two and may have one more.
    expect(drawn(turns, 9, 1)).toEqual(['b1']);
    turns.released('c');
    // 9 among two: both may have four.
    expect(drawn(turns, 9, 2)).toEqual(['b2', 'a1']);
  });

  it('leave each account one slot where there are more accounts than slots', () => {
    const turns = turnsWith({ a: 1 }, ['a1', 'b1', 'c1', 'd1']);

    expect(drawn(turns, 2, 4)).toEqual(['b1', 'c1', 'd1', 'a1']);
  });

  it('are not taken by who has left or whose time is up', () => {
    const turns = turnsWith({}, []);
    const [first, late, other] = [waiter('a1', 10), waiter('a2', 20), waiter('b1', 10)];
    for (const each of [first, late, other]) turns.add(each);

    expect(turns.remove(other)).toBe(true);
    expect(turns.remove(other)).toBe(false);
    expect(turns.expire(9)).toEqual([]);
    expect(turns.expire(10)).toEqual([first]);
    expect(turns.waitingOf('a')).toBe(1);
    expect(turns.waitingOf('b')).toBe(0);
    expect(drawn(turns, 1, 2)).toEqual(['a2', 'nobody']);
  });

  it('forget accounts that neither hold nor want anything, and no others', () => {
    const turns = turnsWith({ busy: 7 }, []);
    for (let each = 0; each < 5_000; each += 1) {
      turns.held(`passing${each}-`);
      turns.released(`passing${each}-`);
    }
    turns.add(waiter('busy1'));
    turns.add(waiter('other1'));

    // 8 among two: busy has its share only if its seven are remembered.
    expect(drawn(turns, 8, 2)).toEqual(['other1', 'busy1']);
  });
});
