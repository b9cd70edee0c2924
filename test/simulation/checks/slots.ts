import type { Database } from '@gateway/store';
import { slotsOf } from '../actors/settings.ts';
import type { Surroundings } from '../actors/surroundings.ts';

export interface SlotsWatch {
  /** What was not as it has to be at any moment, in words. */
  readonly seen: readonly string[];
  end(): void;
}

/**
 * Looks again and again whether a vendor has more tasks than slots. A task of which a fail-over had forgotten
 * that it was sent is at the vendor, whoever has its slot by then.
 */
export function watchSlots(
  { world, promised, failOvers }: Pick<Surroundings, 'world' | 'promised' | 'failOvers'>,
  { pool }: Pick<Database, 'pool'>,
): SlotsWatch {
  const most = new Map<string, number>();
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const { rows } = await pool.query<{ provider: string; taken: number }>(
        'SELECT provider, places_taken AS taken FROM vendor_line WHERE places_taken > $1 ORDER BY 1',
        [slotsOf],
      );
      for (const { provider, taken } of rows) {
        most.set(provider, Math.max(taken, most.get(provider) ?? 0));
      }
      await world.pause(promised.lookMs[0]);
    }
  };
  void watch();
  return {
    get seen() {
      const continuedAt = (name: string): number =>
        failOvers.continued.filter((provider) => provider === name).length;
      return [...most]
        .filter(([provider, taken]) => taken > slotsOf + continuedAt(provider))
        .map(([provider, taken]) => `${taken} tasks were given ${slotsOf} slots of ${provider}`);
    },
    end() {
      isOver = true;
    },
  };
}
