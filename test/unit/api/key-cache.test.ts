import { describe, expect, it } from '@jest/globals';
import { createKeyCache } from '../../../services/api/src/adapters/key-cache.ts';

type Record = Awaited<ReturnType<ReturnType<typeof createKeyCache>>>;

/** A cache before a database that knows the keys in `exist`, and counts what it is asked. */
function aCache(exist: ReadonlySet<string> = new Set(), unknownPerMinute = 100_000) {
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
    { unknownPerMinute, now: () => clock.now },
  );
  return {
    clock,
    questions: () => questions,
    find: (apiKey: string, peer = '192.0.2.1') => {
      key = apiKey;
      return find(apiKey, peer);
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

  it('asks less and less often for a wrong key that is tried again and again', async () => {
    const cache = aCache();
    for (let second = 0; second < 600; second += 1) {
      await cache.find('wrong');
      cache.clock.now += 1_000;
    }

    // after 1, 2, 4 and 8 seconds, then every 15
    expect(cache.questions()).toBe(43);
  });

  it('does not ask for more unknown keys of an address than it may try in a minute', async () => {
    const cache = aCache(new Set(), 3);
    for (const wrong of ['a', 'b', 'c']) expect(await cache.find(wrong)).toBeUndefined();

    for (const wrong of ['d', 'e']) {
      await expect(async () => cache.find(wrong)).rejects.toMatchObject({
        code: 'rate_limit_exceeded',
        retryAfterMs: 60_000,
      });
    }
    expect(await cache.find('a')).toBeUndefined();
    expect(cache.questions()).toBe(3);
    expect(await cache.find('d', '192.0.2.2')).toBeUndefined();

    cache.clock.now += 60_000;
    expect(await cache.find('d')).toBeUndefined();
  });

  it('counts guesses that are under way at once', async () => {
    const cache = aCache(new Set(), 3);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, async (_, index) => cache.find(`wrong-${index}`)),
    );

    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(17);
    expect(cache.questions()).toBe(3);
  });

  it('counts an IPv6 network as one address', async () => {
    const cache = aCache(new Set(), 1);
    await cache.find('a', '2001:db8:0:1::5');

    await expect(async () => cache.find('b', '2001:db8::1:2:3:4:5')).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    });
    expect(await cache.find('b', '2001:db8:0:2::5')).toBeUndefined();
  });

  it('lets a key that it knows pass at an address that guesses, also when it has to ask again', async () => {
    const cache = aCache(new Set(['good']), 1);
    for (let round = 0; round < 3; round += 1) {
      expect(await cache.find('good')).toMatchObject({ id: 'good' });
      cache.clock.now += 4_001;
    }
    await cache.find('wrong');
    await expect(async () => cache.find('another')).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    });

    expect(await cache.find('good')).toMatchObject({ id: 'good' });
  });

  it('does not count a key that turns out to exist', async () => {
    const cache = aCache(new Set(['first', 'second', 'third']), 1);
    for (const good of ['first', 'second', 'third']) {
      expect(await cache.find(good)).toMatchObject({ id: good });
    }
  });

  it('is never older than its query, however long that took', async () => {
    const clock = { now: 0 };
    let questions = 0;
    const find = createKeyCache(
      {
        findKeyByHash: () => {
          questions += 1;
          clock.now += 3_000;
          return Promise.resolve({ id: 'good' } as Exclude<Record, undefined>);
        },
      },
      { unknownPerMinute: 1, now: () => clock.now },
    );
    await find('good', '');
    clock.now += 1_001;
    await find('good', '');

    expect(questions).toBe(2);
  });
});
