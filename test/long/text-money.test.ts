/** @workers 3: it promises no times. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createLedger, type Database } from '@gateway/store';
import { openTestDatabase } from '@gateway/testing';
import { fates } from './text-money/replica.ts';
import { World, type Tally } from './text-money/world.ts';

/**
 * Random histories of what text costs, on the statements of production, against an auditor that
 * shares nothing with them but the database. Many histories share two replicas and their fate, each
 * with two accounts of its own, so that one statement serves many accounts, as in production.
 */

const histories = Number(process.env['MONEY_HISTORIES'] ?? 10_000);
const perWorld = 25;
const lanes = 4;
const turns = 8;
const seed = Number(process.env['MONEY_SEED'] ?? 20_261_123);

const wish = fc
  .record({
    estimate: fc.integer({ min: 1, max: 3_000 }),
    /** Of the estimate: mostly too many, sometimes too few. */
    share: fc.constantFrom(0.8, 0.9, 0.9, 1, 1, 1.2),
    maxTokens: fc.constantFrom(undefined, undefined, 100, 800),
    bytesPerToken: fc.constantFrom(3.2, 4, 4.4),
    saysEarly: fc.boolean(),
  })
  .map(({ share, ...rest }) => ({ ...rest, prompt: Math.floor(rest.estimate * share) }));

const account = fc.integer({ min: 0, max: 1 });
const which = fc.nat({ max: 3 });
const kind = <Kind extends string>(name: Kind) => fc.constant(name);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('ask'), account, replica: account, wish }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: kind('progress'),
      account,
      which,
      tokens: fc.constantFrom(20, 200, 700),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('complete'), account, which }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('hang up'), account, which }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('top up'), account, quota: fc.integer({ min: 1, max: 60 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: kind('hold'), account, quota: fc.integer({ min: 1, max: 40 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: kind('release'), account }) },
);

const aHistory = fc.record({
  quotas: fc.tuple(fc.constantFrom(0, 5, 20, 40, 400), fc.constantFrom(10, 30, 60)),
  turns: fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), {
    minLength: turns,
    maxLength: turns,
  }),
});

const aTurn = fc.record({
  ms: fc.constantFrom(200, 1_000, 1_000, 4_000, 70_000),
  writesOpen: fc.boolean(),
  saves: fc.boolean(),
  applies: fc.boolean(),
  event: fc.constantFrom('none', 'none', 'none', 'late', 'late', 'kill', 'freeze', 'reconcile'),
  replica: account,
});

const aWorld = fc.record({
  histories: fc.array(aHistory, { minLength: perWorld, maxLength: perWorld }),
  turns: fc.array(aTurn, { minLength: turns, maxLength: turns }),
  fates: fc.array(fc.constantFrom(...fates, 'arrives', 'arrives', 'arrives', 'arrives'), {
    minLength: 1,
    maxLength: 24,
  }),
});

type Value<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Inner> ? Inner : never;

async function take(world: World, own: World['accounts'], next: Value<typeof step>): Promise<void> {
  const of = own[next.account]!;
  switch (next.kind) {
    case 'ask':
      return world.ask(of, next.replica, next.wish);
    case 'progress':
      world.progress(of, next.which, next.tokens);
      return;
    case 'complete':
      world.end(of, next.which, 'completed');
      return;
    case 'hang up':
      world.end(of, next.which, 'hung up');
      return;
    case 'top up':
      return world.topUp(of, next.quota);
    case 'hold':
      return world.hold(of, next.quota);
    case 'release':
      return world.release(of);
  }
}

async function happen(world: World, { event, replica }: Value<typeof aTurn>): Promise<void> {
  if (event === 'late') await world.deliverLate();
  else if (event === 'kill') world.kill(replica);
  else if (event === 'freeze') await world.freeze(replica);
  else if (event === 'reconcile') await world.reconcile();
}

async function play(database: Database, plan: Value<typeof aWorld>, tally: Tally): Promise<void> {
  const world = new World(database, plan.fates, tally);
  await world.open(plan.histories.flatMap(({ quotas }) => quotas));
  for (const [turn, passing] of plan.turns.entries()) {
    await Promise.all(
      plan.histories.map(async (history, place) => {
        const own = world.accounts.slice(2 * place, 2 * place + 2);
        for (const next of history.turns[turn] ?? []) await take(world, own, next);
      }),
    );
    await world.pass(passing.ms, passing);
    await happen(world, passing);
    if (turn % 3 === 2 || passing.event === 'late') await world.audit();
  }
  await world.close();
}

/** One lane of worlds, one after the other, on a database of its own. */
async function playLane(lane: number, tally: Tally): Promise<void> {
  const test = await openTestDatabase();
  try {
    await fc.assert(
      fc.asyncProperty(aWorld, (plan) => play(test.database, plan, tally)),
      {
        seed: seed + lane,
        numRuns: Math.ceil(histories / perWorld / lanes),
        // Shrinking plays hundreds of worlds: for whoever looks for a fault, not for every run.
        endOnFailure: process.env['MONEY_SHRINK'] === undefined,
      },
    );
    const violations = await createLedger(test.database).verify({ graceSeconds: 0 });
    // The histories' video holds have no tasks, and many are meant to stay.
    expect(violations.filter(({ invariant }) => invariant !== 'hold_without_task')).toEqual([]);
  } finally {
    await test.close();
  }
}

describe('what text costs', () => {
  it(`is right after each of ${histories} random histories, seeds from ${seed} on`, async () => {
    const tally: Tally = new Map();
    const played = await Promise.allSettled(
      Array.from({ length: lanes }, (_, lane) => playLane(lane, tally)),
    );
    for (const lane of played) if (lane.status === 'rejected') throw lane.reason;

    if (process.env['MONEY_HISTORIES'] !== undefined) {
      // eslint-disable-next-line no-console -- the figures of a long run are what it is for
      console.info([...tally].map(([what, times]) => `${what} ${times}`).join(', '));
    }
    // A proof that nothing happened in proves nothing.
    for (const what of [
      'served',
      'refused',
      'completed',
      'hung up',
      'debts made',
      'topped up',
      'video held',
      'killed',
      'frozen',
      'late messages',
      'requests recovered',
      'leases taken back',
      'debts collected by the reconciler',
      ...fates.map((fate) => `a message ${fate}`),
    ]) {
      expect([what, tally.get(what) ?? 0]).not.toEqual([what, 0]);
    }
  }, 600_000);
});
