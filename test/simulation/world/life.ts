import type { World } from './world.ts';

/** One life of one replica: it may end at any await, and then nothing of it goes on. */
export interface Life {
  readonly name: string;
  isAlive(): boolean;
  /** Settles as the promise does while this life lasts, and never after it. */
  within<Result>(promise: Promise<Result>): Promise<Result>;
  pause(ms: number): Promise<void>;
  /** Nothing of it goes on for so long, as after SIGSTOP; what it has sent is done. */
  freeze(ms: number): void;
  /** Calls `work` again and again, each time so long after the last one has ended. */
  every(ms: number, work: () => Promise<void>): void;
  /** One of the moments at which a crash matters most: a statement was sent, or was done. */
  moment(): void;
  /** Calls `listener` at the so many-th of them. */
  atMoment(count: number, listener: () => void): void;
  /** Of those who wait for this replica from outside. */
  onEnd(listener: () => void): () => void;
  end(): void;
}

export function beginLife(world: World, name: string): Life {
  let alive = true;
  let frozenUntil = 0;
  let armed: { left: number; readonly listener: () => void } | undefined;
  const listeners = new Set<() => void>();
  const within = async <Result>(promise: Promise<Result>): Promise<Result> => {
    try {
      return await promise;
    } finally {
      while (alive && world.now() < frozenUntil) await world.pause(frozenUntil - world.now());
      // A promise of its own: one for all would keep everything that ever waited.
      if (!alive) await new Promise(() => undefined);
    }
  };
  const pause = (ms: number): Promise<void> => within(world.pause(ms));
  return {
    name,
    isAlive: () => alive,
    within,
    pause,
    freeze(ms) {
      frozenUntil = world.now() + ms;
    },
    every(ms, work) {
      const round = async (): Promise<void> => {
        // Replicas were started at different moments.
        await pause(world.dice.between(1, ms));
        for (;;) {
          await work().catch((error: unknown) => {
            world.trace.say(`${name}: a round failed: ${(error as Error).message}`);
          });
          await pause(ms);
        }
      };
      void round();
    },
    moment() {
      if (armed === undefined) return;
      armed.left -= 1;
      if (armed.left > 0) return;
      const { listener } = armed;
      armed = undefined;
      listener();
    },
    atMoment(count, listener) {
      armed = { left: count, listener };
    },
    onEnd(listener) {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    end() {
      alive = false;
      for (const listener of listeners) listener();
    },
  };
}

/** Where nobody answers any more; the words of Node's sockets. */
export const connectionLost = (code: 'ECONNRESET' | 'ECONNREFUSED'): Error =>
  Object.assign(new Error(`connection lost (${code})`), { code });
