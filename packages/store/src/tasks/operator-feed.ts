// SQL by hand: asked every moment while an operator watches.
import type { Database } from '../database/database.ts';
import {
  createEventFeed,
  eventColumns,
  eventOf,
  type AnyEvent,
  type EventRow,
} from './event-feed.ts';
import {
  overviewColumns,
  overviewOf,
  type OverviewRow,
  type TaskOverview,
} from './task-overviews.ts';

/** A status that some task took, with the task as it was when the event was read. */
export interface OperatorEvent extends AnyEvent {
  readonly task: TaskOverview;
}

/** What happens to the tasks of all accounts. */
export interface OperatorFeed {
  /** Of the newest event of all; one that is written at this moment may have a lower one. */
  newest(): Promise<number>;
  /**
   * The first events behind a position, at most so many, in their order; also of deleted tasks
   * whose row is still there.
   */
  after(position: number, most: number): Promise<OperatorEvent[]>;
  /** Lets go of what was read: nobody asks any more. */
  forget(): void;
}

const positionsSql = `
  SELECT serial AS position FROM task_event WHERE serial > $1 ORDER BY serial LIMIT $2`;

const eventsSql = `
  SELECT ${eventColumns}, ${overviewColumns.map((column) => `t.${column}`).join(', ')}
  FROM task_event e JOIN task t ON t.id = e.task_id WHERE e.serial = ANY($1)`;

/**
 * What may still be late lies behind the position that is asked for, and is asked for again and
 * again: of that only an index is read, and the rest only of events that were not read yet.
 * Remembers what it returned last, and no more.
 */
export function createOperatorFeed({ pool }: Pick<Database, 'pool'>): OperatorFeed {
  let known = new Map<number, OperatorEvent>();
  const positionsAfter = async (position: number, most: number): Promise<number[]> => {
    const { rows } = await pool.query<Pick<EventRow, 'position'>>({
      name: 'event-positions',
      text: positionsSql,
      values: [position, most],
    });
    return rows.map((row) => row.position);
  };
  const read = async (positions: readonly number[]): Promise<OperatorEvent[]> => {
    if (positions.length === 0) return [];
    const { rows } = await pool.query<OverviewRow & EventRow>({
      name: 'operator-events',
      text: eventsSql,
      values: [positions],
    });
    return rows.map((row) => ({ ...eventOf(row), task: overviewOf(row) }));
  };
  return {
    newest: createEventFeed({ pool }).newest,
    async after(position, most) {
      const positions = await positionsAfter(position, most);
      const fresh = await read(positions.filter((each) => !known.has(each)));
      const all = new Map([...known, ...fresh.map((event) => [event.position, event] as const)]);
      const events = positions.flatMap((each) => all.get(each) ?? []);
      known = new Map(events.map((event) => [event.position, event]));
      return events;
    },
    forget() {
      known = new Map();
    },
  };
}
