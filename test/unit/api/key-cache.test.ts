import { describe, expect, it } from '@jest/globals';
import { createKeyCache } from '../../../services/api/src/adapters/key-cache.ts';

type Record = Awaited<ReturnType<ReturnType<typeof createKeyCache>>>;

/** A cache before a database that knows the keys in `exist`, and counts what it is asked. */
function aCache(exist: ReadonlySet<string> = new Set()) {
  const clock = { now: 1_000 };
  let questions = 0;
  let key = '';
  const find = createKeyCache(
    {
      findKeyByHash: () => {
        questions += 1;
        return Promise.resolve(
          (exist.has(key) ? { id: key } : undefined) as Exclude<Record, undefined> | undefined,
        );
      },
    },
    () => clock.now,
  );
  return {
    clock,
    questions: () => questions,
    find: (apiKey: string) => {
      key = apiKey;
      return find(apiKey);
    },
  };
}

describe('looking up API keys', () => {
  it('asks the database once a second for a key that does not exist, however often it is tried', async () => {
    const cache = aCache();
    for (let round = 0; round < 100; round += 1) expect(await cache.find('wrong')).toBeUndefined();
    expect(cache.questions()).toBe(1);

    cache.clock.now += 1_001;
    await cache.find('wrong');
    expect(cache.questions()).toBe(2);
  });

  it('finds a key that was made after it had been tried, within a second', async () => {
    const exist = new Set<string>();
    const cache = aCache(exist);
    await cache.find('new');
    exist.add('new');
    cache.clock.now += 1_001;
    expect(await cache.find('new')).toMatchObject({ id: 'new' });
  });

  it('asks once for a key that comes many times at once', async () => {
    const cache = aCache(new Set(['good']));
    await Promise.all(Array.from({ length: 50 }, async () => cache.find('good')));
    expect(cache.questions()).toBe(1);
  });

  it('remembers a good key through a flood of inventions', async () => {
    const cache = aCache(new Set(['good']));
    await cache.find('good');
    for (let index = 0; index < 20_000; index += 1) await cache.find(`wrong-${index}`);
    const before = cache.questions();
    expect(await cache.find('good')).toMatchObject({ id: 'good' });
    expect(cache.questions()).toBe(before);
  });
});
