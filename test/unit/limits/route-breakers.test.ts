import { describe, expect, it } from '@jest/globals';
import { createBreakers } from '../../../packages/limits/src/breakers.ts';
import type { RedisConnection } from '../../../packages/limits/src/redis-connection.ts';
import {
  createRouteBreakers,
  type RouteBreakers,
  type RouteFailure,
} from '../../../packages/limits/src/route-breakers.ts';

const away: RedisConnection = {
  isUp: () => false,
  run: () => Promise.reject(new Error('away')),
  tell: () => undefined,
  onUp: () => undefined,
  onMessage: () => undefined,
  check: () => Promise.resolve(),
  start: () => Promise.resolve(),
  stop: () => Promise.resolve(),
};

interface Story extends RouteBreakers {
  pass(ms: number): void;
}

function open(): Story {
  let time = 1_000_000;
  const now = (): number => time;
  const breakers = createBreakers({
    redis: away,
    now,
    replicaId: 'one',
    forgetAfterMs: 120_000,
    rules: { failuresToOpen: 5, coolDownMs: 10_000, longestCoolDownMs: 60_000, probeMs: 30_000 },
    permitMs: 10_000,
  });
  return {
    ...createRouteBreakers({ breakers, now, failuresToOpen: 5 }),
    pass(ms) {
      time += ms;
    },
  };
}

const route = 'vendor/model';
const outage: RouteFailure = { of: 'everybody' };
const refusal: RouteFailure = { of: 'account' };
let payloads = 0;
const anotherPayload = (): RouteFailure => ({ of: 'account', once: `payload ${(payloads += 1)}` });

const fail = (
  story: Story,
  accounts: readonly string[],
  failure: () => RouteFailure = anotherPayload,
): void => {
  for (const account of accounts) story.failed(route, account, failure());
};
const times = (count: number, account: string): string[] =>
  Array.from({ length: count }, () => account);
const may = (story: Story, account: string): boolean => story.mayTry(route, account);

describe('the breakers of a route', () => {
  it('refuse everybody after five outages, whoever met them and whom it served just before', () => {
    const story = open();
    story.succeeded(route, 'victim');
    fail(story, times(4, 'one'), () => outage);
    expect(may(story, 'victim')).toBe(true);

    fail(story, ['one'], () => outage);

    expect([may(story, 'one'), may(story, 'victim'), may(story, 'new')]).toEqual([
      false,
      false,
      false,
    ]);
    expect(story.states().get(route)).toBe('open');
  });

  it('refuse an account after five failures of its own requests, and nobody else', () => {
    const story = open();
    fail(story, times(4, 'hostile'));
    expect(may(story, 'hostile')).toBe(true);

    fail(story, times(100, 'hostile'));

    expect([may(story, 'hostile'), may(story, 'victim')]).toEqual([false, true]);
  });

  it('show a route as open that fails the only account there is, until it serves another', () => {
    const story = open();
    fail(story, times(5, 'only'));
    expect(story.states().get(route)).toBe('open');

    story.succeeded(route, 'other');

    expect(story.states().get(route)).toBe('closed');
  });

  it('count one request once in half a minute, and every refusal for now', () => {
    const story = open();
    const same: RouteFailure = { of: 'account', once: 'the same request' };
    fail(story, times(50, 'only'), () => same);
    expect(may(story, 'only')).toBe(true);

    for (let windows = 0; windows < 4; windows += 1) {
      story.pass(30_000);
      fail(story, ['only'], () => same);
    }
    expect(may(story, 'only')).toBe(false);

    const other = open();
    fail(other, times(5, 'only'), () => refusal);
    expect(may(other, 'only')).toBe(false);
  });

  it('refuse others too when the requests of several accounts fail, within five failures', () => {
    const story = open();
    fail(story, ['one', 'two', 'one', 'two'], () => refusal);
    expect(may(story, 'new')).toBe(true);

    fail(story, ['one'], () => refusal);

    expect([may(story, 'one'), may(story, 'two'), may(story, 'new')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('give one account no more than half of the weight', () => {
    const story = open();
    fail(story, [...times(4, 'hostile'), 'unlucky']);
    expect(may(story, 'new')).toBe(true);

    fail(story, ['unlucky']);
    expect(may(story, 'new')).toBe(false);
  });

  it('begin anew when anybody was served', () => {
    const story = open();
    fail(story, ['one', 'two', 'one', 'two']);
    story.succeeded(route, 'three');
    fail(story, ['one', 'two']);

    expect(may(story, 'new')).toBe(true);
  });

  it('let those through whom the route serves, however many others fail', () => {
    const story = open();
    story.succeeded(route, 'served');
    fail(story, [...times(20, 'hostile'), ...times(20, 'accomplice')]);

    expect([may(story, 'new'), may(story, 'served')]).toEqual([false, true]);
    fail(story, times(2, 'served'));
    expect(may(story, 'served')).toBe(true);
    fail(story, ['served']);
    expect(may(story, 'served')).toBe(false);
  });

  it('forget after half a minute whom the route has served', () => {
    const story = open();
    story.succeeded(route, 'served');
    story.pass(29_999);
    fail(story, ['one', 'two', 'one', 'two', 'one']);
    expect(may(story, 'served')).toBe(true);

    story.pass(1);
    expect(may(story, 'served')).toBe(false);
  });

  it('are closed by what succeeds for lack of another route', () => {
    const story = open();
    fail(story, ['one', 'two', 'one', 'two', 'one']);
    fail(story, times(5, 'three'), () => outage);
    fail(story, times(5, 'new'));
    expect(may(story, 'new')).toBe(false);

    story.succeeded(route, 'new', true);

    expect([may(story, 'new'), may(story, 'another')]).toEqual([true, true]);
  });

  it('are not closed by what was sent before they opened', () => {
    const story = open();
    fail(story, times(5, 'one'), () => outage);
    story.succeeded(route, 'two');

    expect(may(story, 'two')).toBe(false);
  });

  it('send one probe after the cool-down, and open again when it fails', () => {
    const story = open();
    fail(story, ['one', 'two', 'one', 'two', 'one']);
    story.pass(10_000);
    expect([may(story, 'new'), may(story, 'new')]).toEqual([true, false]);

    fail(story, ['new']);
    story.pass(19_999);
    expect(may(story, 'other')).toBe(false);
    story.pass(1);
    expect(may(story, 'other')).toBe(true);
    story.succeeded(route, 'other');
    expect([may(story, 'other'), may(story, 'last')]).toEqual([true, true]);
  });

  it('take a response of any kind for the end of an outage', () => {
    const story = open();
    fail(story, times(5, 'one'), () => outage);
    story.pass(10_000);
    expect(may(story, 'hostile')).toBe(true);

    fail(story, ['hostile']);

    expect(may(story, 'one')).toBe(true);
  });
});

describe('a route that is tried for lack of another', () => {
  const tried = (story: Story, account: string, count: number): number =>
    times(count, account).filter((each) => story.mayTryAtLast(route, each)).length;

  it('is tried once a second by an account that has seen it fail', () => {
    const story = open();
    fail(story, times(5, 'one'));

    expect(tried(story, 'one', 50)).toBe(1);
    story.pass(1_000);
    expect(tried(story, 'one', 50)).toBe(1);
  });

  it('is tried some times by an account that has not, and so often by all together', () => {
    const story = open();
    fail(story, times(5, 'one'));

    expect(tried(story, 'new', 50)).toBe(10);
    expect(tried(story, 'one', 50)).toBe(1);
    expect(tried(story, 'newer', 50)).toBe(9);
    expect(tried(story, 'newest', 50)).toBe(0);
  });
});

/** A generator of the same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe.each([1, 2, 5])('hostile accounts, %i of them', (hostile) => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'cost an account that the upstream serves less than a hundredth of its requests (seed %i)',
    (seed) => {
      const random = numbersFrom(seed);
      const story = open();
      let served = 0;
      let refused = 0;
      for (let step = 0; step < 20_000; step += 1) {
        story.pass(random() * 40);
        if (random() < 0.9) {
          const account = `hostile ${Math.floor(random() * hostile)}`;
          const sent = may(story, account) || story.mayTryAtLast(route, account);
          // Some of theirs are good, so that the route has served them too.
          if (sent && random() < 0.1) story.succeeded(route, account);
          else if (sent) fail(story, [account], random() < 0.5 ? anotherPayload : () => refusal);
          continue;
        }
        const atLast = !may(story, 'victim');
        if (atLast && !story.mayTryAtLast(route, 'victim')) refused += 1;
        else {
          served += 1;
          story.succeeded(route, 'victim', atLast);
        }
      }

      expect(served).toBeGreaterThan(1_000);
      expect(refused / (served + refused)).toBeLessThan(0.01);
    },
  );
});
