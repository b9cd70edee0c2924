import { describe, expect, it } from '@jest/globals';
import { createTurns } from '../../../../services/api/src/bodies/turns.ts';

const item = (name: string, isHeavy = false) => ({ name, accountId: name.charAt(0), isHeavy });

describe('turns', () => {
  it('go from account to account, the oldest of each first', () => {
    const turns = createTurns<ReturnType<typeof item>>(10);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.add(item(name));
    expect(turns.waiting).toBe(6);
    const order = Array.from({ length: 7 }, () => turns.take()?.name);
    expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined]);
    expect(turns.waiting).toBe(0);
  });

  it('leave one account no more slots than it may have', () => {
    const turns = createTurns<ReturnType<typeof item>>(1);
    const [first, second, other] = [item('a1'), item('a2'), item('b1')];
    for (const each of [first, second]) turns.add(each);
    expect(turns.take()).toBe(first);
    expect(turns.take()).toBeUndefined();
    turns.add(other);
    expect(turns.take()).toBe(other);
    turns.done(first);
    expect(turns.take()).toBe(second);
  });

  it('leave heavy things no more slots than they may have, whosever they are', () => {
    const turns = createTurns<ReturnType<typeof item>>(1);
    const [heavy, another, light] = [item('a1', true), item('b1', true), item('c1')];
    for (const each of [heavy, another, light]) turns.add(each);
    expect(turns.take()).toBe(heavy);
    expect(turns.take()).toBe(light);
    turns.done(heavy);
    expect(turns.take()).toBe(another);
  });
});
