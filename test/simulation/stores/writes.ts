import type { TimedServer } from './timed-server.ts';

/** Counts what is written: a number that stays the same while the database does. */
export interface Writes {
  /** A statement or transaction that may have written, and the rows that it told of. */
  note(rows: number): void;
  count(): Promise<number>;
  /** As far as it is known without asking; a doubt that turns out right makes it an old one. */
  readonly countSoFar: number;
}

export function createWrites(server: TimedServer): Writes {
  let count = 0;
  let isDoubtful = false;
  /** The next transaction's number, when it was last asked and nothing was written since. */
  let next: unknown;
  return {
    note(rows) {
      if (rows === 0) {
        isDoubtful = true;
        return;
      }
      count += 1;
      [next, isDoubtful] = [undefined, false];
    },
    async count() {
      if (!isDoubtful) return count;
      // Only a transaction that writes, or locks a row, takes a number.
      const { rows } = await server.send(
        'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next',
      );
      const found = (rows as { next: string }[])[0]?.next;
      if (found !== next) count += 1;
      [next, isDoubtful] = [found, false];
      return count;
    },
    get countSoFar() {
      return count;
    },
  };
}
