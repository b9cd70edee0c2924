import { connectionLost, type Life } from './life.ts';
import type { World } from './world.ts';

/** How likely it is that a message meets each fault. All are 0 once the storm is over. */
export interface Weather {
  /** A request or statement is lost on its way there. */
  lostBefore: number;
  /** It is done, and its response is lost. */
  lostAfter: number;
  /**
   * A request is delivered twice, as by a proxy that tries again. Left out where nothing does; a
   * connection to a store is nobody's but its owner's, and repeats nothing.
   */
  repeated?: number;
}

export interface CallOptions {
  readonly weather: Weather;
  readonly timeoutMs: number;
  /** What nobody may send again whose response is missing is not repeated. */
  readonly isRepeatable?: boolean;
}

/** Who is asked, chosen anew for each delivery. */
export interface Target<Result> {
  readonly life: Life;
  serve(): Promise<Result>;
}

/**
 * A request of one replica to another, with its delays and losses. Rejects for the caller when the
 * connection breaks, when the other side dies, and after the timeout; the other side may go on.
 */
export function callAcross<Result>(
  world: World,
  choose: () => Target<Result>,
  { weather, timeoutMs, isRepeatable = true }: CallOptions,
): Promise<Result> {
  const { dice } = world;
  const across = async (): Promise<Result> => {
    const { life, serve } = choose();
    await world.pause(world.latency());
    if (!life.isAlive()) throw connectionLost('ECONNREFUSED');
    if (dice.chance(weather.lostBefore)) throw connectionLost('ECONNRESET');
    const result = await orItsEnd(life, serve());
    await world.pause(world.latency());
    if (dice.chance(weather.lostAfter)) throw connectionLost('ECONNRESET');
    return result;
  };
  return Promise.race([
    isRepeatable && repeats(world, weather) ? acrossTwice(world, across) : across(),
    world.pause(timeoutMs).then(() => {
      throw connectionLost('ECONNRESET');
    }),
  ]);
}

/** Whether this request is one that is repeated. */
export const repeats = ({ dice }: World, { repeated }: Weather): boolean =>
  repeated !== undefined && dice.chance(repeated);

/** As long as a proxy waits before it tries again. */
const againAfterMs = [20, 4_000] as const;

/**
 * Delivers a request twice. Its sender gets the response that comes first, and only where there is none
 * what came of the first delivery; the other one goes on all the same.
 */
export async function deliverTwice<Result>(
  world: World,
  deliver: () => Promise<Result>,
  isResponse: (result: Result) => boolean,
): Promise<Result> {
  const first = deliver();
  const second = world.pause(world.dice.between(...againAfterMs)).then(() => {
    world.trace.say('a request is delivered again');
    return deliver();
  });
  const response = async (delivery: Promise<Result>): Promise<Result> => {
    const result = await delivery;
    if (!isResponse(result)) throw new Error('no response');
    return result;
  };
  return Promise.any([response(first), response(second)]).catch(() => first);
}

/** A refusal is a response too. */
async function acrossTwice<Result>(world: World, across: () => Promise<Result>): Promise<Result> {
  const settle = async (): Promise<PromiseSettledResult<Result>> =>
    (await Promise.allSettled([across()]))[0];
  const settled = await deliverTwice(
    world,
    settle,
    (one) => one.status === 'fulfilled' || !isLost(one.reason),
  );
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}

const isLost = (error: unknown): boolean =>
  ['ECONNRESET', 'ECONNREFUSED'].includes((error as { code?: string } | null)?.code ?? '');

/** As the promise; rejects when the life ends before. */
function orItsEnd<Result>(life: Life, promise: Promise<Result>): Promise<Result> {
  let forget = (): void => undefined;
  const ended = new Promise<never>((_resolve, reject) => {
    forget = life.onEnd(() => {
      reject(connectionLost('ECONNRESET'));
    });
  });
  return Promise.race([promise, ended]).finally(() => {
    forget();
  });
}
