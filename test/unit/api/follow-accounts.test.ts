import { describe, expect, it } from '@jest/globals';
import type { FeedEvent } from '@gateway/store';
import { createFollowAccounts } from '../../../services/api/src/use-cases/follow-accounts.ts';
import { eventually } from '../../../packages/testing/src/eventually.ts';
import { recordingLog } from '../../../packages/testing/src/recording-log.ts';

const eventAt = (position: number, accountId = 'acct_a') =>
  ({ position, accountId }) as unknown as FeedEvent;

/** A feed whose events and clock the test sets, and what it was asked for. */
function aFeed(newest: number) {
  const world = {
    at: 0,
    newest,
    events: [] as FeedEvent[],
    rounds: 0,
    isAway: false,
    isStuck: false,
    forgotten: 0,
  };
  const asked: { readonly from: number; readonly accounts: readonly string[] }[] = [];
  const log = recordingLog();
  const following = createFollowAccounts<FeedEvent>({
    everyMs: 2,
    now: () => world.at,
    log,
    feed: {
      newest: () => {
        world.rounds += 1;
        return world.isAway ? Promise.reject(new Error('away')) : Promise.resolve(world.newest);
      },
      after: (from, accounts) => {
        if (world.isStuck) return Promise.reject(new Error('stuck'));
        asked.push({ from, accounts });
        return Promise.resolve(world.events.filter(({ position }) => position > from));
      },
      forget: () => {
        world.forgotten += 1;
      },
    },
  });
  const follow = (accountId: string | undefined, since: number) => {
    const told: { readonly positions: readonly number[]; readonly resumeAt: number }[] = [];
    let isBehind = false;
    const leave = following.follow({
      accountId,
      since,
      fellBehind: () => {
        isBehind = true;
      },
      take: (events, resumeAt) => {
        told.push({ positions: events.map(({ position }) => position), resumeAt });
      },
    });
    return { told, leave, isBehind: () => isBehind };
  };
  /** What is asked for from now on. */
  const next = async () => {
    const before = asked.length;
    return eventually(() => {
      const latest = asked.at(-1);
      if (latest === undefined || asked.length < before + 2) throw new Error('not asked yet');
      return latest;
    });
  };
  return { world, log, follow, next };
}

describe('following accounts', () => {
  it('reads what may still be late again, and moves on when that is over', async () => {
    const { world, follow, next } = aFeed(100);
    const { told, leave } = follow('acct_a', 90);
    expect(await next()).toEqual({ from: 90, accounts: ['acct_a'] });
    expect(told.at(-1)).toEqual({ positions: [], resumeAt: 90 });

    // Committed behind the newest.
    world.events.push(eventAt(95));
    world.newest = 110;
    world.at = 14_999;
    expect((await next()).from).toBe(90);
    expect(told.at(-1)?.positions).toEqual([95]);

    world.at = 15_000;
    expect((await next()).from).toBe(100);
    expect(told.at(-1)).toEqual({ positions: [], resumeAt: 100 });
    leave();
  });

  it('tells a new follower what lies behind its own position, too', async () => {
    const { world, follow, next } = aFeed(100);
    const first = follow('acct_a', 100);
    await next();
    world.at = 20_000;
    world.newest = 200;
    await next();
    world.at = 40_000;
    expect((await next()).from).toBe(200);

    world.events.push(eventAt(150, 'acct_b'));
    const second = follow('acct_b', 120);
    await next();
    expect(second.told[0]).toEqual({ positions: [150], resumeAt: 120 });
    expect(second.told.at(-1)).toEqual({ positions: [], resumeAt: 200 });
    expect(first.told.every(({ positions }) => positions.length === 0)).toBe(true);
    first.leave();
    second.leave();
  });

  it('tells a follower of all accounts everything, and lets the feed forget when it is gone', async () => {
    const { world, follow, next } = aFeed(100);
    world.events.push(eventAt(95), eventAt(96, 'acct_b'));
    const one = follow('acct_b', 90);
    const all = follow(undefined, 90);
    expect(await next()).toEqual({ from: 90, accounts: ['acct_b'] });

    expect(all.told[0]?.positions).toEqual([95, 96]);
    expect(one.told[0]?.positions).toEqual([96]);
    one.leave();
    expect((await next()).accounts).toEqual([]);
    expect(world.forgotten).toBe(0);
    all.leave();
    await eventually(() => {
      expect(world.forgotten).toBeGreaterThan(0);
    });
  });

  it('lets nobody miss more than five thousand without a word', async () => {
    const { world, follow, next } = aFeed(100_000);
    const late = follow('acct_a', 1);
    const there = follow('acct_b', 100_000);
    expect(await next()).toEqual({ from: 100_000, accounts: ['acct_b'] });
    expect([late.isBehind(), late.told, there.isBehind()]).toEqual([true, [], false]);

    // More than that between two reads.
    world.newest = 105_001;
    await eventually(() => {
      expect(there.isBehind()).toBe(true);
    });
  });

  it('reads no more than five thousand again, however much has happened within seconds', async () => {
    const { world, follow, next } = aFeed(100_000);
    const { isBehind, leave } = follow('acct_a', 100_000);
    for (const newest of [104_000, 108_000, 112_000]) {
      await next();
      world.newest = newest;
    }
    expect((await next()).from).toBe(107_000);
    expect(isBehind()).toBe(false);
    leave();
  });

  it.each(['isAway', 'isStuck'] as const)(
    'tells what happened while it could not read (%s)',
    async (trouble) => {
      const { world, log, follow, next } = aFeed(100);
      const { told, leave } = follow('acct_a', 90);
      await next();
      world[trouble] = true;
      await eventually(() => {
        expect(log.lines).toHaveLength(1);
      });
      world.events.push(eventAt(110));
      world.newest = 120;
      for (const at of [10_000, 20_000, 40_000]) {
        world.at = at;
        const before = world.rounds;
        await eventually(() => {
          expect(world.rounds).toBeGreaterThan(before + 1);
        });
      }
      world[trouble] = false;
      await next();
      expect(told.flatMap(({ positions }) => positions)).toContain(110);
      leave();
    },
  );

  it('goes on when the database was away, and says so once', async () => {
    const { world, log, follow, next } = aFeed(100);
    const { leave } = follow('acct_a', 90);
    await next();
    world.isAway = true;
    await eventually(() => {
      expect(log.lines).toHaveLength(1);
    });
    world.isAway = false;
    await next();
    expect(log.lines).toHaveLength(1);
    leave();
  });
});
