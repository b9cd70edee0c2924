import { SilentServerError } from '../../../packages/store/src/database/silence-watch.ts';
import type { World } from '../world/world.ts';

/**
 * A server that accepts what is sent to it and responds to nothing for a while, as one that stands still.
 * Afterwards it carries out what has arrived, also where nobody waits for the result any more.
 */
export interface Silence {
  readonly isOn: boolean;
  /** Returns what ends this one; does nothing where there is one. */
  begin(): () => void;
  end(): void;
  /**
   * What a session sends meanwhile: `serve` is called late. Rejects as the product's pool does when it
   * waits no longer and drops the connection; `serve` is called nevertheless.
   */
  take<Result>(sent: Sent<Result>): Promise<Result>;
  /**
   * Connections of a pool that were dropped are opened anew, which a silent server does not respond to
   * either. Undefined where there is one.
   */
  reconnect(lines: Lines): Promise<void> | undefined;
  /** When the server hears that the connection of this session is gone; undefined: at once. */
  hearsOfEnd(session: symbol): Promise<unknown> | undefined;
}

/** The connections of one replica. */
export interface Lines {
  /** The silence in which they were dropped. */
  droppedIn: number;
}

interface Sent<Result> {
  readonly session: symbol;
  readonly lines: Lines;
  readonly sentAt: number;
  readonly serve: () => Promise<Result>;
}

/** As the services set them: when a silent connection is dropped, in how many looks, and a new one given up. */
const silentMs = 9_000;
const looks = 30;
const connectMs = 5_000;
/** Within which the server gets to all that waits for it. */
const backlogMs = 2_000;

interface Present {
  readonly promise: Promise<void>;
  resolve(): void;
}

function createPresent(): Present {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export function createSilence(world: World): Silence {
  const { dice } = world;
  const late = new Map<symbol, Promise<unknown>>();
  let count = 0;
  let present: Present | undefined;
  const end = (): void => {
    if (present === undefined) return;
    world.trace.say('postgres responds again');
    present.resolve();
    present = undefined;
  };
  const over = (): Promise<void> => present?.promise ?? Promise.resolve();
  const within = async <Result>(ms: number, work: Promise<Result>, error: Error): Promise<Result> =>
    Promise.race([
      work,
      world.pause(ms).then(() => {
        throw error;
      }),
    ]);
  return {
    get isOn() {
      return present !== undefined;
    },
    begin() {
      if (present !== undefined) return () => undefined;
      count += 1;
      const mine = createPresent();
      present = mine;
      world.trace.say('postgres is silent');
      return () => {
        if (present === mine) end();
      };
    },
    end,
    take<Result>({ session, lines, sentAt, serve }: Sent<Result>) {
      const mine = count;
      const carryOut = async (): Promise<Result> => {
        await over();
        await world.pause(dice.between(1, backlogMs));
        return serve();
      };
      const carried = carryOut();
      late.set(
        session,
        carried.catch(() => undefined),
      );
      const patienceMs = silentMs + dice.between(0, silentMs / looks) - (world.now() - sentAt);
      return within(patienceMs, carried, new SilentServerError(silentMs)).catch(
        (error: unknown) => {
          if (error instanceof SilentServerError) lines.droppedIn = mine;
          throw error;
        },
      );
    },
    reconnect: (lines) =>
      present === undefined || lines.droppedIn !== count
        ? undefined
        : within(connectMs, over(), new Error('Connection terminated due to connection timeout')),
    hearsOfEnd: (session) => late.get(session) ?? present?.promise,
  };
}
