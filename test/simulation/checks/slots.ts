import type { Database } from '@gateway/store';
import { slotsOf } from '../actors/settings.ts';
import type { Surroundings } from '../actors/surroundings.ts';

export interface SlotsWatch {
  /** What was not as it has to be at any moment, in words. */
  readonly seen: readonly string[];
  end(): void;
}

/** Looks again and again whether a vendor has more tasks than slots. */
export function watchSlots(
  { world, promised }: Pick<Surroundings, 'world' | 'promised'>,
  { pool }: Pick<Database, 'pool'>,
): SlotsWatch {
  const seen = new Set<string>();
  let isOver = false;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const { rows } = await pool.query<{ provider: string; taken: number }>(
        'SELECT provider, places_taken AS taken FROM vendor_line WHERE places_taken > $1 ORDER BY 1',
        [slotsOf],
      );
      for (const { provider, taken } of rows) {
        seen.add(`${taken} tasks were given ${slotsOf} slots of ${provider}`);
      }
      await world.pause(promised.lookMs[0]);
    }
  };
  void watch();
  return {
    get seen() {
      return [...seen];
    },
    end() {
      isOver = true;
    },
  };
}
