import { describe, expect, it } from '@jest/globals';
import { idPrefixes, isId, type IdKind } from '@gateway/domain';
import { newId, requestIdOf } from '@gateway/runtime';

describe('a new id', () => {
  it.each(Object.keys(idPrefixes) as IdKind[])('of kind %s has its form', (kind) => {
    expect(isId(kind, newId(kind))).toBe(true);
  });

  it('is another one each time, in the order of time', async () => {
    const first = newId('task');
    const began = Date.now();
    while (Date.now() === began) await new Promise(setImmediate);
    const second = newId('task');

    expect(first < second).toBe(true);
    expect(new Set(Array.from({ length: 1_000 }, () => newId('task'))).size).toBe(1_000);
  });
});

describe('the id of a request', () => {
  it.each(['a', 'req_1', 'A-b_9', '0'.repeat(128)])('is the caller’s own: %s', (given) => {
    expect(requestIdOf(given)).toBe(given);
  });

  it.each<[string, string | undefined]>([
    ['none', undefined],
    ['an empty one', ''],
    ['one with a space', 'a b'],
    ['one with a line end', 'a\n'],
    ['one with two lines', 'a\r\nset-cookie: x'],
    ['one with other letters', 'é'],
    ['two of them', 'a, b'],
    ['one with markup', '<b>'],
    ['one with a dot', 'a.b'],
    ['one that is too long', '0'.repeat(129)],
  ])('is a new one for %s', (_case, given) => {
    expect(requestIdOf(given)).toMatch(/^req_[0-9a-z]{26}$/);
    expect(requestIdOf(given)).not.toBe(requestIdOf(given));
  });
});
