import { reached } from '@gateway/runtime';

export interface ServeLinePorts {
  /** Gives free places at a provider to the tasks whose turn it is; answers their ids. */
  readonly admit: (
    provider: string,
    limits: { readonly maxConcurrent: number; readonly most: number },
  ) => Promise<string[]>;
  /** Undefined for a provider that is not in the configuration any more: its line waits. */
  readonly maxConcurrentOf: (provider: string) => number | undefined;
  readonly wakeAll: (taskIds: readonly string[]) => Promise<void>;
}

/**
 * Serves the line of one provider. Postgres decides whose turn it is; every call ends after a look
 * that began after it.
 */
export type ServeLine = (provider: string) => Promise<void>;

/** Places given in one statement: short enough not to hold up others at the line's lock. */
const mostAtOnce = 50;

interface Round {
  readonly under: Promise<void>;
  /** Begins when the one under way is over; everybody who comes meanwhile waits for it. */
  next: Promise<void> | undefined;
}

/** However many ask at once, this replica has one statement under way for each provider. */
export function createServeLine({ admit, maxConcurrentOf, wakeAll }: ServeLinePorts): ServeLine {
  const rounds = new Map<string, Round>();
  const begin = (provider: string): Promise<void> => {
    const under = serve(provider).finally(() => {
      if (rounds.get(provider)?.under === under) rounds.delete(provider);
    });
    rounds.set(provider, { under, next: undefined });
    return under;
  };
  return (provider) => {
    const round = rounds.get(provider);
    if (round === undefined) return begin(provider);
    round.next ??= round.under.then(
      () => begin(provider),
      () => begin(provider),
    );
    return round.next;
  };

  async function serve(provider: string): Promise<void> {
    const maxConcurrent = maxConcurrentOf(provider);
    if (maxConcurrent === undefined) return;
    for (;;) {
      const admitted = await admit(provider, { maxConcurrent, most: mostAtOnce });
      // A wake-up that Redis does not take is repeated by the reconciler: the task keeps its place.
      if (admitted.length > 0) {
        reached('admit.given');
        await wakeAll(admitted);
      }
      if (admitted.length < mostAtOnce) return;
    }
  }
}
