import { describe, expect, it } from '@jest/globals';
import type { KeyRecord } from '@gateway/store';
import { createKeyCache, untold } from '../../../services/api/src/adapters/key-cache.ts';
import { createKeyReads } from '../../../services/api/src/adapters/key-reads.ts';
import { RecentMap } from '../../../services/api/src/adapters/recent-map.ts';

type Record = KeyRecord | undefined;

interface CacheOptions {
  readonly exist?: ReadonlySet<string>;
  readonly unknownPerMinute?: number;
  readonly told?: typeof untold;
}

/** A cache before a database that knows the keys in `exist`, and counts what it is asked. */
function aCache({
  exist = new Set(),
  unknownPerMinute = 100_000,
  told = untold,
}: CacheOptions = {}) {
  const clock = { now: 1_000 };
  let questions = 0;
  const { find, changed } = createKeyCache(
    (apiKey) => {
      questions += 1;
      return Promise.resolve(
        (exist.has(apiKey) ? { id: apiKey, accountId: `of ${apiKey}` } : undefined) as Record,
      );
    },
    told,
    { unknownPerMinute, now: () => clock.now },
  );
  return {
    clock,
    changed,
    questions: () => questions,
    find: (apiKey: string, peer = '192.0.2.1') => find(apiKey, peer),
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
    const cache = aCache({ exist });
    await cache.find('new');
    exist.add('new');
    cache.clock.now += 1_001;
    expect(await cache.find('new')).toMatchObject({ id: 'new' });
  });

  it('asks once for a key that comes many times at once', async () => {
    const cache = aCache({ exist: new Set(['good']) });
    await Promise.all(Array.from({ length: 50 }, async () => cache.find('good')));
    expect(cache.questions()).toBe(1);
  });

  it('remembers a good key through a flood of inventions', async () => {
    const cache = aCache({ exist: new Set(['good']) });
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
    const cache = aCache({ unknownPerMinute: 3 });
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
    const cache = aCache({ unknownPerMinute: 3 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, async (_, index) => cache.find(`wrong-${index}`)),
    );

    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(17);
    expect(cache.questions()).toBe(3);
  });

  it('counts an IPv6 network as one address', async () => {
    const cache = aCache({ unknownPerMinute: 1 });
    await cache.find('a', '2001:db8:0:1::5');

    await expect(async () => cache.find('b', '2001:db8::1:2:3:4:5')).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    });
    expect(await cache.find('b', '2001:db8:0:2::5')).toBeUndefined();
  });

  it('lets a key that it knows pass at an address that guesses, also when it has to ask again', async () => {
    const cache = aCache({ exist: new Set(['good']), unknownPerMinute: 1 });
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
    const cache = aCache({ exist: new Set(['first', 'second', 'third']), unknownPerMinute: 1 });
    for (const good of ['first', 'second', 'third']) {
      expect(await cache.find(good)).toMatchObject({ id: good });
    }
  });

  it('is never older than its query, however long that took', async () => {
    const clock = { now: 0 };
    let questions = 0;
    const { find } = createKeyCache(
      () => {
        questions += 1;
        clock.now += 3_000;
        return Promise.resolve({ id: 'good' } as Exclude<Record, undefined>);
      },
      untold,
      { unknownPerMinute: 1, now: () => clock.now },
    );
    await find('good', '');
    clock.now += 1_001;
    await find('good', '');

    expect(questions).toBe(2);
  });
});

describe('while every change is told, a key', () => {
  const aTold = () => {
    const state = { heardUntil: 0, epoch: 1 };
    const cache = aCache({
      exist: new Set(['good', 'other']),
      told: { heardUntilMs: () => state.heardUntil, epoch: () => state.epoch },
    });
    /** Time passes, and all that happened until then is heard. */
    const pass = (ms: number): void => {
      cache.clock.now += ms;
      state.heardUntil = cache.clock.now;
    };
    return { ...cache, state, pass };
  };

  it('is asked for once, and again after five minutes', async () => {
    const { find, pass, questions } = aTold();
    const counts: number[] = [];
    for (const ms of [0, 60_000, 239_999, 1]) {
      pass(ms);
      await find('good');
      counts.push(questions());
    }

    expect(counts).toEqual([1, 1, 1, 2]);
  });

  it('is asked for at once when its account has changed, and no other', async () => {
    const { find, pass, questions, changed } = aTold();
    await Promise.all([find('good'), find('other')]);
    pass(1_000);
    changed('of good');
    await Promise.all([find('good'), find('other')]);
    await find('good');

    expect(questions()).toBe(3);
  });

  it('is asked for again when its account changed while it was asked for', async () => {
    const { find, changed, questions } = aTold();
    const first = find('good');
    changed('of good');
    await first;
    await find('good');

    expect(questions()).toBe(2);
  });

  it.each([
    ['nothing is heard for four seconds', { heardUntil: 1_000 }],
    ['changes may have been missed', { epoch: 2 }],
  ])('is remembered for four seconds only when %s', async (_what, change) => {
    const { find, pass, state, questions } = aTold();
    pass(0);
    await find('good');
    pass(3_999);
    Object.assign(state, change);
    await find('good');
    const before = questions();
    pass(1_001);
    Object.assign(state, change);
    await find('good');

    expect([before, questions()]).toEqual([1, 2]);
  });

  it('is read again when so many accounts changed that they are not counted any more', async () => {
    const { find, pass, changed, questions } = aTold();
    await find('good');
    for (let account = 0; account <= 10_000; account += 1) changed(`account ${account}`);
    pass(5_000);
    await find('good');

    expect(questions()).toBe(2);
  });
});

describe('memory of keys', () => {
  it('keeps those that are used, and no more than its bound', () => {
    const memory = new RecentMap<number>(100);
    memory.set('used', 1);
    for (let index = 0; index < 10_000; index += 1) {
      memory.set(`other ${index}`, index);
      if (index % 40 === 0) memory.get('used');
    }
    expect(memory.get('used')).toBe(1);
    const kept = Array.from({ length: 10_000 }, (_, index) => memory.get(`other ${index}`)).filter(
      (value) => value !== undefined,
    );

    expect(kept.length).toBeLessThanOrEqual(100);
  });

  it('forgets what is deleted, in either half', () => {
    const memory = new RecentMap<number>(4);
    for (const key of ['a', 'b', 'c']) memory.set(key, 1);
    memory.delete('a');
    memory.delete('c');

    expect(['a', 'b', 'c'].map((key) => memory.get(key))).toEqual([undefined, 1, undefined]);
  });
});

describe('lookups of keys', () => {
  it('of one turn of the event loop are one statement, and each gets its own key', async () => {
    const statements: number[] = [];
    const readKey = createKeyReads({
      findKeysByHash: (hashes) => {
        statements.push(hashes.length);
        return Promise.resolve(hashes.map((_, index) => ({ id: String(index) }) as never));
      },
    });
    const found = await Promise.all(['a', 'b', 'c'].map(readKey));

    expect([statements, found]).toEqual([[3], [{ id: '0' }, { id: '1' }, { id: '2' }]]);
  });

  it('wait while four statements are out, and go together then', async () => {
    const statements: { readonly count: number; readonly end: () => void }[] = [];
    const readKey = createKeyReads({
      findKeysByHash: (hashes) =>
        new Promise((resolve) => {
          statements.push({
            count: hashes.length,
            end: () => {
              resolve(hashes.map(() => undefined));
            },
          });
        }),
    });
    const all: Promise<unknown>[] = [];
    for (let key = 0; key < 10; key += 1) {
      all.push(readKey(`key ${key}`));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const before = statements.map(({ count }) => count);
    for (let at = 0; at < 5; at += 1) {
      statements[at]?.end();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(all);

    expect([before, statements.map(({ count }) => count)]).toEqual([
      [1, 1, 1, 1],
      [1, 1, 1, 1, 6],
    ]);
  });

  it('that fail together say why to each', async () => {
    const readKey = createKeyReads({
      findKeysByHash: () => Promise.reject(new Error('the database is away')),
    });
    const outcomes = await Promise.allSettled(['a', 'b'].map(readKey));

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
