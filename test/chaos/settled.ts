import type { Database } from '@gateway/store';
import { eventually } from '@gateway/testing';

const openWork = `
  SELECT (SELECT count(*) FROM task WHERE step <> 'done') AS tasks, (SELECT count(*) FROM hold WHERE state = 'open') AS holds, (SELECT count(*) FROM text_lease WHERE state = 'open') AS leases,
    (SELECT count(*) FROM callback_push WHERE state = 'pending') AS pushes, (SELECT count(*) FROM usage_batch) AS "usage batches",
    (SELECT count(*) FROM usage_open) AS "open usage"`;

/** Waits until no work is left anywhere; returns what is, when the deadline passes. */
export async function untilSettled({ pool }: Database, withinMs: number): Promise<string[]> {
  return eventually(
    async () => {
      const { rows } = await pool.query<Record<string, number>>(openWork);
      const left = Object.entries(rows[0] ?? {}).filter(([, count]) => count > 0);
      if (left.length > 0) {
        throw new Unsettled(
          left.map(
            ([what, count]) =>
              `${count} ${what} still open after ${Math.round(withinMs / 1_000)} s of calm`,
          ),
        );
      }
      return [];
    },
    { withinMs, everyMs: 250 },
  ).catch((error: unknown) => {
    if (error instanceof Unsettled) return [...error.left];
    throw error;
  });
}

class Unsettled extends Error {
  readonly left: readonly string[];

  constructor(left: readonly string[]) {
    super(left.join(', '));
    this.left = left;
  }
}
