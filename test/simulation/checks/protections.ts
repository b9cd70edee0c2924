import { withoutGuard, type Guard, type Unguarded } from '@gateway/testing';
import type { Database } from '@gateway/store';

/** A protection of the product that can be taken away in a world, and how its absence shows. */
export interface Protection {
  /** In a command. */
  readonly key: string;
  readonly name: string;
  readonly guards: readonly Guard[];
  readonly fault: RegExp;
  /** Seeds, from 1 on, within which it has to show. */
  readonly within: number;
}

/** Cut out one at a time: a simulation is worth what it finds. */
export const protections: readonly Protection[] = [
  {
    key: 'intent',
    name: 'the intent that is committed before the vendor is called',
    guards: [
      {
        statement: 'claim-submission',
        text: `step = 'submitting', submitting_at = now()`,
        instead: `step = 'submit'`,
      },
    ],
    fault: /created twice/,
    within: 10,
  },
  {
    key: 'sweep',
    name: 'the sweep over unfinished tasks',
    guards: [
      { statement: `FROM task WHERE step <> 'done'`, text: `step <> 'done'`, instead: 'false' },
    ],
    fault: /not at rest/,
    within: 10,
  },
  {
    key: 'settling',
    name: 'the sweep over finished tasks whose hold is open',
    guards: [
      {
        statement: 'SELECT h.task_id FROM hold h JOIN task t',
        text: 'WHERE',
        instead: 'WHERE false AND',
      },
    ],
    fault: /terminal_task_has_closed_hold/,
    within: 10,
  },
  {
    key: 'due-pushes',
    name: 'the sweep over due pushes',
    guards: [
      {
        statement: 'find-due-callback',
        text: 'ORDER BY a.number',
        instead: 'ORDER BY a.number LIMIT 0',
      },
    ],
    fault: /push \d+ is still pending/,
    within: 15,
  },
  {
    key: 'superseding',
    name: 'older pushes that a newer one supersedes',
    guards: [
      {
        statement: 'record-callback_attempt',
        text: `WHEN p.sequence < $8 THEN 'superseded'`,
        instead: '',
      },
    ],
    fault: /push \d+ of \S+ came after push/,
    within: 15,
  },
  {
    key: 'cancelling',
    name: 'the steps at which a task can be cancelled without its vendor',
    guards: [
      {
        statement: 'cancel-unsubmitted',
        text: 'AND step = ANY($7)',
        instead: 'AND $7::text[] IS NOT NULL',
      },
    ],
    fault: /nobody knows of \S+, which its vendor finished/,
    within: 10,
  },
];

/** Takes it away from every replica that is begun from now on. */
export const without =
  ({ guards }: Protection, onRemoved: (unguarded: Unguarded) => void = () => undefined) =>
  (database: Database): Database => {
    const unguarded = withoutGuard(database, guards);
    onRemoved(unguarded);
    return unguarded.database;
  };
