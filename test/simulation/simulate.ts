import { createLedger, createAccounts, type Database } from '@gateway/store';
import { newId } from '@gateway/runtime';
import { beginApi } from './actors/api.ts';
import { beginBilling } from './actors/billing.ts';
import { planFor, type Which } from './actors/brief.ts';
import { placeOrder, type Experience } from './actors/customer.ts';
import { beginDispatcher } from './actors/dispatcher.ts';
import type { Fleet } from './actors/fleet.ts';
import type { Plan } from './actors/plan.ts';
import { callbackSecret, createReceivers, receiverUrls } from './actors/receiver.ts';
import { promisedAt, secondQuota, type Promised } from './actors/settings.ts';
import { createStorage } from './actors/storage.ts';
import { rage } from './actors/storm.ts';
import { createReplica, type Surroundings } from './actors/surroundings.ts';
import { askForText } from './actors/text/customer.ts';
import { createTextWorld, type TextWorld } from './actors/text/world.ts';
import { createVendor } from './actors/vendor.ts';
import { listingKind, otherKinds } from './actors/wire-formats.ts';
import { beginWorker } from './actors/worker.ts';
import { findFaults } from './checks/findings.ts';
import { watchSlots } from './checks/slots.ts';
import { watchStatements, type StatementsWatch } from './checks/statements.ts';
import { connectDatabase, createSessions, reliably } from './stores/database.ts';
import { openPostgres, type PostgresServer } from './stores/postgres-server.ts';
import { createRepeats, inTurn } from './stores/repeats.ts';
import { createSilence } from './stores/silence.ts';
import type { TimedServer } from './stores/timed-server.ts';
import { createQueueState } from './stores/queue-state.ts';
import { beginLife } from './world/life.ts';
import { createWorld, type World } from './world/world.ts';

export interface SimulationOptions extends Which {
  readonly keepsTrace?: boolean;
  /** What goes wrong; by default all that the seed has chosen. */
  readonly plan?: Plan;
  readonly weaken?: (database: Database) => Database;
  /** Parts without which replicas go. */
  readonly lacks?: Surroundings['lacks'];
  /** Sends every statement to PostgreSQL, also one that is sure to find the same again. */
  readonly asksAgain?: boolean;
}

/** What came of one seed. */
export interface Story {
  readonly seed: number;
  readonly hash: string;
  readonly faults: readonly string[];
  readonly simulatedMs: number;
  readonly tasks: number;
  readonly lines: readonly string[];
}

/** After the storm everything is at rest within this: the last task's deadline, and its watch. */
const restWithinMsOf = (promised: Promised): number =>
  promised.expiresAfterSeconds * 1_000 +
  promised.fileGraceMs +
  2 * promised.lateWatchMs +
  2 * promised.lateEveryMs +
  4 * promised.sweepMs +
  60_000;

const calm = { lostBefore: 0, lostAfter: 0 };
const welcoming = { error: 0, busy: 0, hang: 0, reset: 0, redirect: 0, gone: 0 };
const well = { notSent: 0, busy: 0, page: 0, refused: 0, lostResponse: 0, noAnswer: 0 };

/** Lets the world of one seed happen, from its first order until everything is at rest. */
export async function simulate(options: SimulationOptions): Promise<Story> {
  rehearsed ??= rehearse();
  return simulateOn(await rehearsed, options);
}

let rehearsed: Promise<PostgresServer> | undefined;

/** Worlds that send most of what any world sends. */
const rehearsals = [2, 5, 7];

async function rehearse(): Promise<PostgresServer> {
  const postgres = await openPostgres();
  for (const seed of rehearsals) await simulateOn(postgres, { seed, isBrief: true });
  await postgres.rehearse();
  return postgres;
}

async function simulateOn(
  postgres: PostgresServer,
  {
    seed,
    isBrief = false,
    keepsTrace = false,
    plan = planFor({ seed, isBrief }),
    weaken = (database) => database,
    lacks,
    asksAgain = false,
  }: SimulationOptions,
): Promise<Story> {
  postgres.reset();
  const world = createWorld(seed, { keepsTrace });
  const server = watchStatements(asksAgain ? inTurn(postgres) : createRepeats(postgres, world.now));
  const promised = { ...promisedAt[plan.tempo], ...plan.promised };
  const surroundings = surround({
    world,
    hasText: plan.hasText,
    pollsMany: plan.pollsMany,
    speaksWire: plan.speaksWire,
    server,
    promised,
    weaken,
    lacks,
  });
  try {
    return await live({ ...surroundings, plan, statements: server });
  } finally {
    world.end();
    // Each keeps half a megabyte outside of the heap.
    await Promise.all(surroundings.postgres.leftOpen.map((close) => close()));
  }
}

interface Living extends Surroundings {
  readonly plan: Plan;
  readonly statements: StatementsWatch;
}

async function live({ plan, statements, ...surroundings }: Living): Promise<Story> {
  const { world, text } = surroundings;
  const { seed, trace } = world;
  const start = world.now();
  // Of nobody in it.
  const own = connectDatabase(reliably(surroundings.postgres), beginLife(world, 'the simulation'));
  const accountIds = await within(world, openAccounts(surroundings, own));
  const fleet = man(surroundings);
  const experiences = order(surroundings, fleet, accountIds);
  const { topUp } = createLedger(own);
  if (text !== undefined) askForText(surroundings, { text, apis: fleet.apis, topUp });
  const slots = watchSlots(surroundings, own);
  await within(world, rage(surroundings, fleet, plan));
  const calmAt = world.now();
  await restOf(surroundings, own, experiences);
  slots.end();
  const simulatedMs = world.now() - start;
  const vendors = [...surroundings.vendors.values()];
  const seen = [...surroundings.seen, ...slots.seen, ...statements.seen];
  const failOvers = surroundings.failOvers.past;
  const evidence = {
    ...surroundings,
    vendors,
    database: own,
    seen,
    experiences,
    calmAt,
    failOvers,
  };
  const faults = await within(world, findFaults(evidence));
  for (const fault of faults) trace.say(`WRONG: ${fault}`);
  const tasks = experiences.filter(({ taskIds }) => taskIds.size > 0).length;
  return { seed, hash: trace.hash(), faults, simulatedMs, tasks, lines: trace.lines };
}

interface Ground {
  readonly world: World;
  readonly hasText: boolean;
  readonly pollsMany: boolean;
  readonly speaksWire: boolean;
  readonly server: TimedServer;
  readonly promised: Promised;
  readonly weaken: Surroundings['weaken'];
  readonly lacks: Surroundings['lacks'];
}

function surround({
  world,
  server,
  hasText,
  pollsMany,
  speaksWire,
  ...ground
}: Ground): Surroundings {
  const weather = { ...calm };
  const { promised } = ground;
  const vendors = [
    createVendor(world, {
      name: 'lister',
      hasList: true,
      pollsMany,
      promised,
      weather,
      mood: { ...well },
      ...(speaksWire && { wire: listingKind }),
    }),
    createVendor(world, {
      name: 'mute',
      hasList: false,
      pollsMany: false,
      promised,
      weather,
      mood: { ...well },
      ...(speaksWire && { wire: otherKinds[world.seed % otherKinds.length] }),
    }),
  ];
  return {
    ...ground,
    world,
    weather,
    seen: new Set(),
    postgres: {
      world,
      server,
      weather,
      isAway: false,
      silence: createSilence(world),
      servers: 1,
      sessions: createSessions(),
      leftOpen: [],
    },
    redis: { world, state: createQueueState(), weather, isAway: false },
    receivers: createReceivers(world, weather, { ...welcoming }),
    storage: createStorage(world, { unavailable: 0, ourFault: 0 }, ground.lacks !== 'random names'),
    vendors: new Map(vendors.map((vendor) => [vendor.name, vendor])),
    failOvers: { past: [], continued: [], underWay: undefined },
    text: hasText ? createTextWorld({ refused: 0, brokenOff: 0 }) : undefined,
  };
}

/** Two of each service, or one. */
function man(surroundings: Surroundings): Fleet {
  const { replicas } = surroundings.promised;
  const several = <Face>(
    name: string,
    count: number,
    begin: Parameters<typeof createReplica<Face>>[2],
  ) =>
    ['a', 'b']
      .slice(0, count)
      .map((letter) => createReplica(surroundings, `${name}-${letter}`, begin));
  const billing = several('billing', replicas.billing, (footing) =>
    beginBilling(surroundings, footing),
  );
  const workers = several('worker', replicas.workers, (footing) => {
    beginWorker(surroundings, footing);
  });
  const apis = several('api', replicas.apis, (footing) => beginApi(surroundings, footing, billing));
  const dispatchers = several('dispatcher', replicas.dispatchers, (footing) => {
    beginDispatcher(surroundings, footing);
  });
  return { billing, workers, apis, dispatchers };
}

/** Two that want videos, and, where there is text, two more that want nothing else. */
async function openAccounts(
  { world: { dice }, text }: Surroundings,
  database: Database,
): Promise<string[]> {
  const ids = [newId('account'), newId('account')];
  const open = async (id: string, quotaOf: () => number): Promise<void> => {
    await createAccounts(database).create({ id, name: 'Simulated', callbackSecret });
    const quota = quotaOf();
    await createLedger(database).topUp(id, quota, 'simulated');
    text?.accounts.push({ id, isRich: quota >= richQuota, toppedUp: quota });
  };
  for (const id of ids) await open(id, () => secondQuota * dice.between(20, 80));
  if (text === undefined) return ids;
  await open(newId('account'), () => dice.between(1, 30));
  await open(newId('account'), () => richQuota);
  return ids;
}

/** More than can be spent in a world. */
const richQuota = 1_000_000;

/** A handful of orders, over the first minutes. */
function order(
  surroundings: Surroundings,
  { apis }: Fleet,
  accountIds: readonly string[],
): Experience[] {
  const { world, promised } = surroundings;
  const { dice } = world;
  return Array.from({ length: dice.between(...promised.orders) }, (_, index) => {
    const experience: Experience = {
      order: {
        number: index + 1,
        accountId: dice.pick(accountIds),
        seconds: dice.between(3, 10),
        idempotencyKey: dice.chance(0.8) ? `order-${index}` : undefined,
        callbackUrl: dice.chance(0.6) ? dice.pick(receiverUrls) : null,
      },
      taskIds: new Set(),
      seen: [],
      wasToldCancelled: false,
      deletedAt: undefined,
      isDone: false,
    };
    const place = async (): Promise<void> => {
      await world.pause(dice.between(0, promised.ordersMs));
      await placeOrder(surroundings, apis, experience);
      experience.isDone = true;
    };
    void place();
    return experience;
  });
}

/** Looks now and then whether everything is at rest; the longest time is what is promised. */
async function restOf(
  { world, promised, text }: Surroundings,
  own: Database,
  experiences: readonly Experience[],
): Promise<void> {
  const end = world.now() + restWithinMsOf(promised);
  for (;;) {
    const { rows } = await within(
      world,
      own.pool.query<{ open: number }>(
        `SELECT (SELECT count(*) FROM task WHERE step <> 'done' OR deleted_at IS NOT NULL)::int + (SELECT count(*) FROM hold WHERE state = 'open')::int
            + (SELECT count(*) FROM callback WHERE settled_sequence < newest_sequence)::int
            + (SELECT count(*) FROM text_lease WHERE state = 'open')::int + (SELECT count(*) FROM usage_batch)::int + (SELECT count(*) FROM usage_open)::int AS open`,
      ),
    );
    const isDone = experiences.every((one) => one.isDone) && isTextDone(text);
    if ((rows[0]?.open === 0 && isDone) || world.now() >= end) return;
    await within(world, world.pause(10_000));
  }
}

const isTextDone = (text: TextWorld | undefined): boolean =>
  text === undefined || (text.waiting === 0 && text.spool.size === 0);

/** Longer than anything in a world. */
const longestMs = 14 * 86_400_000;

/** Goes on with the world until this has come of it. */
async function within<Result>(world: World, promise: Promise<Result>): Promise<Result> {
  let isOver = false;
  const note = (): void => {
    isOver = true;
  };
  promise.then(note, note);
  if (!(await world.runUntil(() => isOver, longestMs))) {
    throw new Error(`the world of seed ${world.seed} stands still`);
  }
  return promise;
}
