import type { Log } from '@gateway/runtime';
import type { Database } from '@gateway/store';
import { connectDatabase, type SharedPostgres } from '../stores/database.ts';
import { linkTo, type SharedRedis } from '../stores/redis.ts';
import type { LostCommits } from '../stores/standby.ts';
import type { QueueLink } from '../stores/queue-model.ts';
import { beginLife, type Life } from '../world/life.ts';
import type { Weather } from '../world/network.ts';
import type { World } from '../world/world.ts';
import type { Receivers } from './receiver.ts';
import { createMachineClock, createReplicaClock, type ReplicaClock } from './clock.ts';
import type { Promised } from './settings.ts';
import type { Storage } from './storage.ts';
import type { TextWorld } from './text/world.ts';
import type { Vendor } from './vendor.ts';

/** What every replica of a world stands on. */
export interface Surroundings {
  readonly world: World;
  readonly promised: Promised;
  readonly weather: Weather;
  readonly postgres: SharedPostgres;
  readonly redis: SharedRedis;
  readonly storage: Storage;
  readonly receivers: Receivers;
  readonly vendors: ReadonlyMap<string, Vendor>;
  readonly failOvers: FailOvers;
  /** Undefined where nobody asks for any. */
  readonly text: TextWorld | undefined;
  /** What was not as it has to be on the way, in words. */
  readonly seen: Set<string>;
  /** Takes protections away from the statements of every replica, for the proof that they are missed. */
  readonly weaken: (database: Database) => Database;
  /** The part without which every replica goes, for the same proof. */
  readonly lacks?: Lacks | undefined;
}

export interface FailOvers {
  readonly past: FailOver[];
  /** Providers of the tasks that an audit found at them, one for each. */
  readonly continued: string[];
  /** Until its operator has put right what was lost. */
  underWay: Promise<void> | undefined;
}

/** A standby has taken over, without the last commits. */
export interface FailOver {
  /** Since when commits were lost. */
  readonly from: number;
  readonly at: number;
  /** Workers went on before anybody had compared the books with the vendors. */
  readonly isNoticedLate: boolean;
  readonly lost: LostCommits;
}

export type Lacks = 'random names' | 'shared clock' | 'vendor breakers';

/** One life of a replica with what it reaches. */
export interface Footing {
  readonly life: Life;
  readonly clock: ReplicaClock;
  readonly database: Database;
  readonly link: QueueLink;
  readonly log: Log;
}

function stand(
  { world, postgres, redis, weaken, lacks }: Surroundings,
  name: string,
  skewMs: () => number,
): Footing {
  const life = beginLife(world, name);
  const log = logOf(world, life);
  const database = weaken(connectDatabase(postgres, life));
  return {
    life,
    clock:
      lacks === 'shared clock'
        ? createMachineClock(world, skewMs)
        : createReplicaClock({ world, life, database, skewMs, log }),
    database,
    link: linkTo(redis, life, skewMs),
    log,
  };
}

/** What a replica logs is part of the story. */
const logOf = ({ trace }: World, { name }: Life): Log => {
  const say = (message: string, fields: object = {}): void => {
    trace.say(`${name}: “${message}” ${JSON.stringify(fields, tellErrors)}`);
  };
  return { error: say, warn: say, info: () => undefined, debug: () => undefined };
};

const tellErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? value.message : value;

/** A replica that can be killed and begun anew. */
export interface Replica<Face> {
  readonly name: string;
  /** Of the present life, or of the last one. */
  face(): Face;
  readonly life: () => Life;
  kill(): void;
  /** Does nothing while its operator wants it to be off. */
  start(): void;
  turnOff(): void;
  turnOn(): void;
  /** Sets the clock of its machine so much ahead of everybody's. */
  setClock(skewMs: number): void;
}

/** Begun at once; each life has a number in the story. */
export function createReplica<Face>(
  surroundings: Surroundings,
  name: string,
  begin: (footing: Footing) => Face,
): Replica<Face> {
  let lives = 0;
  let isOff = false;
  let skewMs = 0;
  let present: { readonly life: Life; readonly face: Face } | undefined;
  const start = (): void => {
    if (isOff || present?.life.isAlive() === true) return;
    lives += 1;
    const footing = stand(surroundings, `${name}.${lives}`, () => skewMs);
    surroundings.world.trace.say(`${footing.life.name} begins`);
    present = { life: footing.life, face: begin(footing) };
  };
  start();
  const now = (): { readonly life: Life; readonly face: Face } => {
    if (present === undefined) throw new Error(`${name} has never begun`);
    return present;
  };
  const kill = (): void => {
    if (!now().life.isAlive()) return;
    surroundings.world.trace.say(`${now().life.name} is killed`);
    now().life.end();
  };
  return {
    name,
    face: () => now().face,
    life: () => now().life,
    kill,
    start,
    turnOff() {
      isOff = true;
      kill();
    },
    turnOn() {
      isOff = false;
      start();
    },
    setClock(ms) {
      skewMs = ms;
    },
  };
}
