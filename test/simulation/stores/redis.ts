import { connectionLost, type Life } from '../world/life.ts';
import type { Weather } from '../world/network.ts';
import type { World } from '../world/world.ts';
import type { QueueLink } from './queue-model.ts';
import type { QueueState } from './queue-state.ts';

/** The Redis of a world, as all its replicas share it. */
export interface SharedRedis {
  readonly world: World;
  readonly state: QueueState;
  readonly weather: Weather;
  /** Nobody reaches it. */
  isAway: boolean;
}

/** The queues as one life of a replica reaches them. */
export const linkTo = (shared: SharedRedis, life: Life, skewMs: () => number): QueueLink => ({
  now: () => shared.world.now() + skewMs(),
  isUp: () => !shared.isAway,
  onEnd: (listener) => void life.onEnd(listener),
  send: (command) => life.within(send(shared, life, command)),
});

async function send<Result>(
  shared: SharedRedis,
  life: Life,
  command: () => Result,
): Promise<Result> {
  const { world, weather } = shared;
  if (!life.isAlive()) return new Promise(() => undefined);
  await world.pause(world.latency());
  if (shared.isAway) throw connectionLost('ECONNREFUSED');
  if (world.dice.chance(weather.lostBefore)) throw connectionLost('ECONNRESET');
  const result = command();
  await world.pause(world.latency());
  if (world.dice.chance(weather.lostAfter)) throw connectionLost('ECONNRESET');
  return result;
}
