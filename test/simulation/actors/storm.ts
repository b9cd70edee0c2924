import { createDice } from '../../chaos/random.ts';
import { failOver } from './fail-over.ts';
import { everybody, type Accident, type Fleet } from './fleet.ts';
import { shares, type AccidentName, type Plan, type ShareName } from './plan.ts';
import type { Replica, Surroundings } from './surroundings.ts';

/**
 * Lets things go wrong as planned, and then calm: everybody is there, nothing is lost any more. What
 * the storm has left has to come to rest by itself.
 */
export async function rage(
  surroundings: Surroundings,
  fleet: Fleet,
  { forMs, faults }: Plan,
): Promise<void> {
  const { world } = surroundings;
  const start = world.now();
  const moods = moodsOf(surroundings);
  const until = (atMs: number): Promise<void> => world.pause(start + atMs - world.now());
  for (const fault of faults) {
    if (fault.kind === 'accident') continue;
    Object.assign(moods[fault.of], scaled(shares[fault.of], fault.factor));
  }
  for (const fault of faults) {
    if (fault.kind === 'share') continue;
    await until(fault.atMs);
    accidents[fault.name](surroundings, fleet, createDice(fault.seed));
  }
  await until(forMs);
  for (const mood of Object.values(moods)) Object.assign(mood, scaled(mood, 0));
  surroundings.postgres.isAway = false;
  surroundings.postgres.silence.end();
  for (const vendor of surroundings.vendors.values()) vendor.isAway = false;
  for (const replica of everybody(fleet)) replica.setClock(0);
  if (surroundings.failOvers.underWay !== undefined) await surroundings.failOvers.underWay;
  comeBack(surroundings);
  for (const replica of everybody(fleet)) {
    replica.life().atMoment(Infinity, () => undefined);
    replica.start();
  }
  world.trace.say('calm');
}

type Shares = Readonly<Record<string, number>>;

function moodsOf({
  weather,
  storage,
  receivers,
  vendors,
  text,
}: Surroundings): Record<ShareName, Shares> {
  const moodOf = (name: string): Shares => (vendors.get(name)?.mood ?? {}) as unknown as Shares;
  return {
    weather: weather as unknown as Shares,
    repeats: weather as unknown as Shares,
    storage: storage.mood as unknown as Shares,
    receivers: receivers.mood,
    lister: moodOf('lister'),
    mute: moodOf('mute'),
    upstream: (text?.mood ?? {}) as Shares,
  };
}

const scaled = (all: Shares, factor: number): Record<string, number> =>
  Object.fromEntries(Object.entries(all).map(([name, share]) => [name, share * factor]));

const comeBack = ({ redis }: Surroundings): void => {
  redis.isAway = false;
  redis.state.announce();
};

/** At once, or in the middle of its work. */
const kill: Accident = ({ world }, fleet, dice) => {
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

/** A little after a statement: while it waits for another service. */
const killSoonAfter: Accident = ({ world }, { apis, workers }, dice) => {
  const victim = dice.pick([...apis, ...workers] as readonly Replica<unknown>[]);
  const waitMs = dice.between(1, 150);
  victim.life().atMoment(dice.between(1, 8), () => {
    void world.pause(waitMs).then(() => {
      victim.kill();
    });
    void world.pause(waitMs + dice.between(500, 5_000)).then(() => {
      victim.start();
    });
  });
};

const flush: Accident = ({ world, redis }) => {
  world.trace.say('FLUSHALL');
  redis.state.flush();
};

const redisAway: Accident = (surroundings, _fleet, dice) => {
  const { world, redis } = surroundings;
  world.trace.say('redis is away');
  redis.isAway = true;
  void world.pause(dice.between(500, 20_000)).then(() => {
    comeBack(surroundings);
  });
};

const postgresAway: Accident = ({ world, postgres }, _fleet, dice) => {
  world.trace.say('postgres is away');
  postgres.isAway = true;
  void world.pause(dice.between(200, 15_000)).then(() => {
    postgres.isAway = false;
  });
};

/** At the longest, longer than the pools of the replicas wait. */
const postgresSilent: Accident = ({ world, postgres }, _fleet, dice) => {
  const end = postgres.silence.begin();
  void world.pause(dice.between(2_000, 20_000)).then(end);
};

const vendorAway: Accident = ({ world, vendors, promised }, _fleet, dice) => {
  const vendor = dice.pick([...vendors.values()]);
  world.trace.say(`${vendor.name} is away`);
  vendor.isAway = true;
  void world.pause(dice.between(5_000, promised.awayMs)).then(() => {
    vendor.isAway = false;
  });
};

/** For so long that every task tries again and again. */
const vendorsAway: Accident = ({ world, vendors, promised }) => {
  world.trace.say('all vendors are away');
  for (const vendor of vendors.values()) vendor.isAway = true;
  void world.pause(promised.awayMs).then(() => {
    for (const vendor of vendors.values()) vendor.isAway = false;
  });
};

/** An hour ahead of everybody's, or behind. */
const wrongClock: Accident = ({ world }, fleet, dice) => {
  const victim = dice.pick(everybody(fleet));
  const skewMs = dice.pick([-1, 1]) * dice.between(3_000, 3_600_000);
  world.trace.say(`the clock of ${victim.name} is ${skewMs} ms ahead`);
  victim.setClock(skewMs);
  void world.pause(dice.between(2_000, 90_000)).then(() => {
    victim.setClock(0);
  });
};

/** A lock runs out while its owner still works: somebody else gets the same job. */
const stall: Accident = ({ world, redis }, _fleet, dice) => {
  const active = ['video', 'billing', 'callback', 'metering']
    .flatMap((queue) => redis.state.live(queue))
    .filter(({ state }) => state === 'active');
  if (active.length === 0) return;
  const job = dice.pick(active);
  world.trace.say(`the job of ${job.id} in ${job.queue} stalls`);
  redis.state.stall(job);
};

const stallAll: Accident = ({ world, redis }) => {
  for (const job of ['video', 'billing', 'callback'].flatMap((queue) => redis.state.live(queue))) {
    if (job.state !== 'active') continue;
    world.trace.say(`the job of ${job.id} in ${job.queue} stalls`);
    redis.state.stall(job);
  }
};

/** Longer than a lock or a claim lasts: others do its work meanwhile, and then it goes on. */
const freeze: Accident = (surroundings, fleet, dice) => {
  const { world } = surroundings;
  const victim = dice.pick<Replica<unknown>>([...fleet.workers, ...fleet.dispatchers]);
  const life = victim.life();
  life.atMoment(dice.between(1, 8), () => {
    world.trace.say(`${life.name} stands still`);
    life.freeze(dice.between(31_000, 45_000));
    void world.pause(dice.between(15_000, 23_000)).then(() => {
      stallAll(surroundings, fleet, dice);
    });
  });
};

/** An api stops when it is asked to, and another takes its place. */
const roll: Accident = ({ world }, { apis }, dice) => {
  const victim = dice.pick(apis);
  const life = victim.life();
  if (!life.isAlive()) return;
  world.trace.say(`${life.name} is to stop`);
  void victim
    .face()
    .text?.stop()
    .then(() => {
      // It may have been killed, and begun anew, meanwhile.
      if (victim.life() === life) victim.kill();
      return world.pause(dice.between(500, 5_000));
    })
    .then(victim.start);
};

const accidents: Readonly<Record<AccidentName, Accident>> = {
  kill,
  'kill soon after': killSoonAfter,
  stall,
  'stall all': stallAll,
  freeze,
  flush,
  'redis away': redisAway,
  'postgres away': postgresAway,
  'postgres silent': postgresSilent,
  'vendor away': vendorAway,
  'vendors away': vendorsAway,
  'wrong clock': wrongClock,
  roll,
  'fail-over': failOver,
};
