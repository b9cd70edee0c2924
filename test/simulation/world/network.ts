import { connectionLost, type Life } from './life.ts';
import type { World } from './world.ts';

/** How likely it is that a message meets each fault. All are 0 once the storm is over. */
export interface Weather {
  /** A request or statement is lost on its way there. */
  lostBefore: number;
  /** It is done, and its response is lost. */
  lostAfter: number;
}

export interface CallOptions {
  readonly weather: Weather;
  readonly timeoutMs: number;
}

/**
 * A request of one replica to another, with its delays and losses. Rejects for the caller when the
 * connection breaks, when the other side dies, and after the timeout; the other side may go on.
 */
export function callAcross<Result>(
  world: World,
  to: Life,
  { weather, timeoutMs, serve }: CallOptions & { readonly serve: () => Promise<Result> },
): Promise<Result> {
  const { dice } = world;
  const across = async (): Promise<Result> => {
    await world.pause(world.latency());
    if (!to.isAlive()) throw connectionLost('ECONNREFUSED');
    if (dice.chance(weather.lostBefore)) throw connectionLost('ECONNRESET');
    const result = await orItsEnd(to, serve());
    await world.pause(world.latency());
    if (dice.chance(weather.lostAfter)) throw connectionLost('ECONNRESET');
    return result;
  };
  return Promise.race([
    across(),
    world.pause(timeoutMs).then(() => {
      throw connectionLost('ECONNRESET');
    }),
  ]);
}

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
