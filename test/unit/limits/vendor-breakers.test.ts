import { describe, expect, it } from '@jest/globals';
import { createBreakers } from '../../../packages/limits/src/breakers.ts';
import type { RedisConnection } from '../../../packages/limits/src/redis-connection.ts';
import type { RouteFailure } from '../../../packages/limits/src/route-breakers.ts';
import {
  createVendorBreakers,
  type VendorBreakers,
  type VendorChange,
  type VendorPermit,
} from '../../../packages/limits/src/vendor-breakers.ts';

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

interface Story extends VendorBreakers {
  readonly changes: VendorChange[];
  pass(ms: number): void;
}

function open(): Story {
  let time = 1_000_000;
  const now = (): number => time;
  const breakers = createBreakers({
    redis: away,
    now,
    replicaId: 'one',
    forgetAfterMs: 240_000,
    rules: { failuresToOpen: 5, coolDownMs: 10_000, longestCoolDownMs: 60_000, probeMs: 30_000 },
    permitMs: 10_000,
  });
  const vendors = createVendorBreakers({ breakers, now, failuresToOpen: 5 });
  const changes: VendorChange[] = [];
  vendors.onChange((change) => changes.push(change));
  return {
    ...vendors,
    changes,
    pass(ms) {
      time += ms;
    },
  };
}

const vendor = 'ark http://vendor/api 0123';
type Granted = Extract<VendorPermit, { kind: 'granted' }>;

function enter(story: Story, account: string): Granted {
  const permit = story.enter(vendor, account);
  if (permit.kind !== 'granted') throw new Error(`${account} may not enter: ${permit.kind}`);
  return permit;
}
const outage: RouteFailure = { of: 'everybody' };
let tasks = 0;
const page = (): RouteFailure => ({ of: 'account', once: `task ${(tasks += 1)}` });

function fail(story: Story, accounts: readonly string[], failure: () => RouteFailure = page): void {
  for (const account of accounts) {
    const permit = enter(story, account);
    permit.failed(failure());
    permit.end();
  }
}
function serve(story: Story, account: string): void {
  const permit = enter(story, account);
  permit.succeeded();
  permit.end();
}
const times = (count: number, account: string): string[] =>
  Array.from({ length: count }, () => account);
const judge = (story: Story, ...accounts: string[]): string[] =>
  accounts.map((account) => story.judge(vendor, account));
const shut = { isOpen: true, isTrial: false, paused: [], onTrial: [] };
const wide = { isOpen: false, isTrial: false, paused: [], onTrial: [] };

describe('the breakers before a vendor', () => {
  it('let nobody in after five outages in a row, whoever met them', () => {
    const story = open();
    fail(story, times(4, 'one'), () => outage);
    expect(judge(story, 'one', 'other')).toEqual(['go', 'go']);

    fail(story, ['one'], () => outage);

    expect(judge(story, 'one', 'other')).toEqual(['open', 'open']);
    expect(story.admission(vendor)).toEqual(shut);
    expect(story.states().get(vendor)).toBe('open');
    expect(story.changes).toEqual([{ vendor, to: 'open' }]);
  });

  it('begin to count anew with each submission that is served', () => {
    const story = open();
    fail(story, times(4, 'one'), () => outage);
    serve(story, 'one');
    fail(story, times(4, 'one'), () => outage);

    expect(judge(story, 'one')).toEqual(['go']);
  });

  it('pause one account after five failures of its own requests, and nobody else', () => {
    const story = open();
    fail(story, times(5, 'hostile'));

    expect(judge(story, 'hostile', 'other')).toEqual(['open', 'go']);
    expect(story.admission(vendor)).toEqual({ ...wide, paused: ['hostile'] });
    expect(story.changes).toEqual([{ vendor, account: 'hostile', to: 'open' }]);
    expect(story.states().get(vendor)).toBe('open');

    serve(story, 'other');
    expect(story.states().get(vendor)).toBe('closed');
    expect(judge(story, 'hostile')).toEqual(['open']);
  });

  it('let nobody in once a question after a lost submission got no answer', () => {
    const story = open();
    fail(story, ['one']);

    story.unanswered(vendor);

    expect(judge(story, 'one', 'other')).toEqual(['open', 'open']);
    expect(story.changes).toEqual([{ vendor, to: 'open' }]);
    story.unanswered(vendor);
    expect(story.changes).toHaveLength(1);
  });

  it('count such a question as one outage while the vendor has served others just now', () => {
    const story = open();
    serve(story, 'other');
    for (let question = 1; question <= 4; question += 1) story.unanswered(vendor);
    expect(judge(story, 'one', 'other')).toEqual(['go', 'go']);

    story.pass(30_000);
    story.unanswered(vendor);

    expect(judge(story, 'one', 'other')).toEqual(['open', 'open']);
  });

  it('count one task that fails again and again once', () => {
    const story = open();
    const same = { of: 'account', once: 'task' } as const;
    fail(story, times(9, 'one'), () => same);

    expect(judge(story, 'one')).toEqual(['go']);
  });

  it('let nobody in when the requests of several accounts fail', () => {
    const story = open();
    fail(story, ['a', 'a', 'a', 'a', 'b']);
    expect(judge(story, 'c')).toEqual(['go']);

    fail(story, ['b']);

    expect(judge(story, 'a', 'b', 'c')).toEqual(['open', 'open', 'open']);
    expect(story.changes).toEqual([{ vendor, to: 'open' }]);
  });

  it('know each vendor apart', () => {
    const story = open();
    fail(story, times(5, 'one'), () => outage);

    expect(story.judge('other http://other 01', 'one')).toBe('go');
    expect(story.admission('other http://other 01')).toEqual(wide);
  });
});

describe('a vendor whose pause has ended', () => {
  const paused = (failure: () => RouteFailure, ms = 10_000): Story => {
    const story = open();
    fail(story, times(5, 'one'), failure);
    story.pass(ms);
    return story;
  };

  it('gets one task, offered once in a while, and nobody else meanwhile', () => {
    const story = paused(() => outage);
    expect(story.admission(vendor)).toEqual({ ...wide, isTrial: true });
    expect(story.admission(vendor)).toEqual(shut);

    const probe = enter(story, 'other');

    expect(probe.isProbe).toBe(true);
    expect(judge(story, 'one', 'other')).toEqual(['wait', 'wait']);
    story.pass(2_000);
    expect(story.admission(vendor)).toEqual(shut);
  });

  it('serves everybody again when the probe is served', () => {
    const story = paused(() => outage);
    const probe = enter(story, 'other');
    probe.succeeded();
    probe.end();

    expect(judge(story, 'one', 'other')).toEqual(['go', 'go']);
    expect(story.admission(vendor)).toEqual(wide);
    expect(story.changes.at(-1)).toEqual({ vendor, to: 'closed' });
  });

  it.each([
    ['an outage', () => outage],
    ['a page', page],
  ])('is left alone for twice as long when the probe meets %s', (_name, failure) => {
    const story = paused(() => outage);
    fail(story, ['other'], failure);

    story.pass(19_999);
    expect(judge(story, 'one')).toEqual(['open']);
    story.pass(1);
    expect(judge(story, 'one')).toEqual(['go']);
  });

  it('gets another probe at once when the first ended without an outcome', () => {
    const story = paused(() => outage);
    enter(story, 'one').end();

    expect(enter(story, 'other').isProbe).toBe(true);
  });

  it('is not closed or opened by what was sent before', () => {
    const story = open();
    serve(story, 'one');
    const [early, late] = [enter(story, 'one'), enter(story, 'one')];
    for (const permit of times(5, 'one').map((account) => enter(story, account))) {
      permit.failed(outage);
    }
    early.succeeded();
    late.failed(outage);

    expect(judge(story, 'one')).toEqual(['open']);
    expect(story.changes).toEqual([{ vendor, to: 'open' }]);
  });

  it('tries one task of the account that was paused, and its pause ends with it', () => {
    const story = paused(page);
    expect(story.admission(vendor)).toEqual({ ...wide, onTrial: ['one'] });
    expect(story.admission(vendor)).toEqual({ ...wide, paused: ['one'] });
    const probe = enter(story, 'one');
    expect(judge(story, 'one', 'other')).toEqual(['wait', 'go']);

    probe.succeeded();
    probe.end();

    expect(story.admission(vendor)).toEqual(wide);
    expect(story.changes.at(-1)).toEqual({ vendor, account: 'one', to: 'closed' });
  });

  it('ends the pause of the account, too, whose task was the probe for all', () => {
    const story = paused(page);
    fail(story, times(5, 'other'), () => outage);
    story.pass(10_000);

    serve(story, 'one');

    expect(judge(story, 'one', 'other')).toEqual(['go', 'go']);
    expect(story.admission(vendor)).toEqual(wide);
  });

  it('pauses the account for longer when its one task fails', () => {
    const story = paused(page);
    fail(story, ['one']);

    story.pass(19_999);
    expect(judge(story, 'one', 'other')).toEqual(['open', 'go']);
    story.pass(1);
    expect(judge(story, 'one')).toEqual(['go']);
  });
});

describe('submissions under way', () => {
  const both = ['one', 'one', 'one', 'two', 'two'];

  it('are no more than it takes to open, until one is served', () => {
    const story = open();
    const permits = both.map((account) => enter(story, account));
    expect(story.enter(vendor, 'other').kind).toBe('wait');

    permits[0]!.succeeded();
    expect(judge(story, 'one')).toEqual(['go']);
    times(50, 'one').forEach((account) => enter(story, account));

    permits[1]!.failed(outage);
    expect(judge(story, 'one', 'other')).toEqual(['wait', 'wait']);
  });

  it('count until they end, once', () => {
    const story = open();
    const permits = both.map((account) => enter(story, account));
    permits[0]!.end();
    permits[0]!.end();
    enter(story, 'one');

    expect(judge(story, 'one', 'other')).toEqual(['wait', 'wait']);
  });

  it('make a dead vendor cost five submissions, however many wait', () => {
    const story = open();
    let sent = 0;
    for (let task = 0; task < 300; task += 1) {
      const permit = story.enter(vendor, `account-${task % 30}`);
      if (permit.kind !== 'granted') continue;
      sent += 1;
      permit.failed(page());
      permit.end();
    }

    expect(sent).toBe(5);
  });
});
