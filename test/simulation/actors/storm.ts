import type { ApiFace } from './api.ts';
import type { BillingFace } from './billing.ts';
import type { Replica, Surroundings } from './surroundings.ts';

export interface Fleet {
  readonly apis: readonly Replica<ApiFace>[];
  readonly workers: readonly Replica<void>[];
  readonly billing: readonly Replica<BillingFace>[];
  readonly dispatchers: readonly Replica<void>[];
}

/** What goes wrong in a world, each with the share in which it does. */
const shares = {
  weather: { lostBefore: 0.015, lostAfter: 0.015 },
  vendor: {
    notSent: 0.06,
    busy: 0.08,
    page: 0.04,
    refused: 0.04,
    lostResponse: 0.08,
    noAnswer: 0.08,
  },
  storage: { unavailable: 0.15, ourFault: 0.1 },
  receivers: { error: 0.08, busy: 0.04, hang: 0.04, reset: 0.06, redirect: 0.01, gone: 0.01 },
} as const;

/**
 * Lets things go wrong for so long, and then calm: everybody is there, nothing is lost any more. What
 * the storm has left has to come to rest by itself.
 */
export async function rage(surroundings: Surroundings, fleet: Fleet, forMs: number): Promise<void> {
  const { world, weather, vendors, storage, receivers } = surroundings;
  const { dice, trace } = world;
  const end = world.now() + forMs;
  Object.assign(weather, scaled(shares.weather, dice.roll() * 2));
  Object.assign(storage.mood, scaled(shares.storage, dice.roll() * 2));
  Object.assign(receivers.mood, scaled(shares.receivers, dice.roll() * 2));
  for (const { mood } of vendors.values()) {
    Object.assign(mood, scaled(shares.vendor, dice.roll() * 2));
  }
  while (world.now() < end) {
    await world.pause(dice.between(1_000, 25_000));
    dice.pick(accidents)(surroundings, fleet);
  }
  const moods = [...vendors.values()].map(({ mood }) => mood);
  for (const mood of [weather, storage.mood, receivers.mood, ...moods]) {
    Object.assign(mood, scaled(mood as unknown as Readonly<Record<string, number>>, 0));
  }
  surroundings.postgres.isAway = false;
  comeBack(surroundings);
  for (const replica of everybody(fleet)) {
    replica.life().atMoment(Infinity, () => undefined);
    replica.start();
  }
  trace.say('calm');
}

const scaled = (all: Readonly<Record<string, number>>, factor: number): Record<string, number> =>
  Object.fromEntries(Object.entries(all).map(([name, share]) => [name, share * factor]));

const everybody = (fleet: Fleet): readonly Replica<unknown>[] => [
  ...fleet.apis,
  ...fleet.workers,
  ...fleet.billing,
  ...fleet.dispatchers,
];

const comeBack = ({ redis }: Surroundings): void => {
  redis.isAway = false;
  redis.state.announce();
};

type Accident = (surroundings: Surroundings, fleet: Fleet) => void;

/** At once, or in the middle of its work. */
const kill: Accident = ({ world }, fleet) => {
  const { dice } = world;
  const victim = dice.pick(everybody(fleet));
  const die = (): void => {
    victim.kill();
    void world.pause(dice.between(500, 40_000)).then(() => {
      victim.start();
    });
  };
  if (dice.chance(0.3)) die();
  else victim.life().atMoment(dice.between(1, 16), die);
};

const flush: Accident = ({ world, redis }) => {
  world.trace.say('FLUSHALL');
  redis.state.flush();
};

const redisAway: Accident = (surroundings) => {
  const { world, redis } = surroundings;
  world.trace.say('redis is away');
  redis.isAway = true;
  void world.pause(world.dice.between(500, 20_000)).then(() => {
    comeBack(surroundings);
  });
};

const postgresAway: Accident = ({ world, postgres }) => {
  world.trace.say('postgres is away');
  postgres.isAway = true;
  void world.pause(world.dice.between(200, 15_000)).then(() => {
    postgres.isAway = false;
  });
};

/** A lock runs out while its owner still works: somebody else gets the same job. */
const stall: Accident = ({ world, redis }) => {
  const active = ['video', 'billing', 'callback']
    .flatMap((queue) => redis.state.live(queue))
    .filter(({ state }) => state === 'active');
  if (active.length === 0) return;
  const job = world.dice.pick(active);
  world.trace.say(`the job of ${job.id} in ${job.queue} stalls`);
  redis.state.stall(job);
};

const accidents: readonly Accident[] = [
  kill,
  kill,
  kill,
  stall,
  stall,
  flush,
  redisAway,
  postgresAway,
];
