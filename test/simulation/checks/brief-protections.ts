import { oneKey } from './long-protections.ts';
import type { Protection } from './protection.ts';

/** Missed in brief worlds, of which one costs a tenth of a second or a few. */
export const briefProtections: readonly Protection[] = [
  {
    key: 'balance',
    name: 'the conditional balance update (the constraint behind it refuses)',
    guards: ['take-holds', 'take-holds-together'].map((statement) => ({
      statement,
      text: 'WHERE f.running <= locked.available',
      instead: '',
    })),
    fault: /the database refused: .*balance_never_overdrawn/,
    seed: 17,
    isBrief: true,
  },
  {
    key: 'settle-once',
    name: 'the idempotent settle (the index behind it refuses)',
    guards: ['settle-task', `UPDATE hold h SET state = 'closed'`].map((statement) => ({
      statement,
      text: ` AND h.state = 'open'`,
      instead: '',
    })),
    fault: /the database refused: .*ledger_entry/,
    seed: 20,
    isBrief: true,
  },
  {
    key: 'epoch',
    name: 'the epoch of a write',
    guards: [
      'UPDATE task SET epoch = epoch + 1',
      'claim-submission',
      'put-off',
      'give-back-slot',
    ].map((statement) => ({ statement, text: 'epoch = $2', instead: '$2::int IS NOT NULL' })),
    fault: /a write to \S+ with epoch \d+ came through at \d+/,
    seed: 1,
    isBrief: true,
  },
  {
    key: 'claim-lease',
    name: 'the end of a claim whose dispatcher is gone',
    guards: [{ statement: 'claim-callback', text: 'OR claimed_until <= now()', instead: '' }],
    fault: /push \d+ is still pending/,
    seed: 2,
    isBrief: true,
  },
  {
    key: 'orphans',
    name: 'the sweep over holds without a task',
    guards: [
      {
        statement: 'FOR UPDATE OF h SKIP LOCKED',
        text: `WHERE h.state = 'open'`,
        instead: 'WHERE false',
      },
    ],
    fault: /hold_without_task/,
    seed: 24,
    isBrief: true,
  },
  {
    key: 'late-watch',
    name: 'the watch over expired tasks',
    guards: [
      {
        statement: 'event_sequence = event_sequence + 1, status = $4',
        text: 'step = $11',
        instead: `step = CASE WHEN $11 = 'late' THEN 'done' ELSE $11 END`,
      },
    ],
    fault: /nobody knows of \S+, which its vendor/,
    seed: 7,
    isBrief: true,
  },
  {
    key: 'tries',
    name: 'the row of each try',
    guards: [
      {
        statement: 'claim-submission',
        text: 'LEFT JOIN newest n ON true',
        instead: 'LEFT JOIN newest n ON true WHERE false',
      },
    ],
    fault: /nobody has written down that/,
    seed: 1,
    isBrief: true,
  },
  {
    key: 'random-names',
    name: 'names of files that no other copy has',
    lacks: 'random names',
    fault: /the file of \S+ is not what it was/,
    seed: 1,
    isBrief: true,
  },
  {
    key: 'shared-clock',
    name: 'the time of the database in every replica',
    lacks: 'shared clock',
    fault: /is signed with another time than now/,
    seed: 16,
    isBrief: true,
  },
  {
    key: 'audit',
    name: 'the audit that finds what was sent before a fail-over',
    guards: [
      {
        statement: 'unnest($1::text[], $2::text[]) AS i(vendor_task_id, task_id)',
        text: `THEN 'forgotten'`,
        instead: `THEN 'known'`,
      },
    ],
    fault: /created twice/,
    seed: 446,
    isBrief: true,
  },
  {
    key: 'claim-token',
    name: 'the claim that an attempt of a push is recorded under',
    guards: [
      {
        statement: 'record-callback_attempt',
        text: 'AND claim_token = $2',
        instead: 'AND $2::text IS NOT NULL',
      },
    ],
    fault: /was recorded under a claim that was lost/,
    seed: 273,
    isBrief: true,
  },
  {
    key: 'lost-output',
    name: 'the exposure of a video that was finished and not copied',
    guards: [
      {
        statement: 'event_sequence = event_sequence + 1, status = $4',
        text: `FROM moved WHERE status IN ('failed', 'expired', 'cancelled')`,
        instead: 'FROM moved WHERE false',
      },
    ],
    fault: /nobody knows of \S+, which its vendor finished/,
    seed: 77,
    isBrief: true,
  },
  {
    key: 'overdue',
    name: 'the sweep over tasks whose deadline passes in the queue',
    guards: [
      {
        statement: 'AND expires_at <= now() ORDER',
        text: 'expires_at <= now()',
        instead: 'false',
      },
    ],
    fault: /ended \d+ ms too late/,
    seed: 49,
    isBrief: true,
  },
  {
    key: 'silenced',
    name: 'the deletion of a callback with its task, and the claim that finds no task',
    guards: [
      { statement: 'mark-deleted', text: 'WHERE c.task_id = m.id', instead: 'WHERE false' },
      { statement: 'claim-callback', text: 'AND t.deleted_at IS NULL', instead: '' },
    ],
    fault: /came after it was deleted/,
    seed: 91,
    isBrief: true,
  },
  {
    key: 'vendor-breakers',
    name: 'the circuit breaker before a vendor',
    lacks: 'vendor breakers',
    fault: /through \d+ ms after \S+ was away/,
    seed: 17,
    isBrief: true,
  },
  {
    key: 'hold-once',
    name: 'the one hold of a task, when PostgreSQL is silent (its primary key refuses a second one)',
    guards: ['take-holds', 'take-holds-together'].flatMap((statement) => [
      {
        statement,
        text: 'WHERE (SELECT true FROM hold h WHERE h.task_id = i.task_id) IS NULL',
        instead: '',
      },
      { statement, text: 'ON CONFLICT (task_id) DO NOTHING', instead: '' },
    ]),
    fault: /the database refused: .*hold_pkey/,
    seed: 35,
    isBrief: true,
  },
  {
    key: 'one-key-again',
    name: 'the one task of an idempotency key, when the network repeats the order',
    guards: oneKey,
    fault: /order \d+ made several tasks/,
    seed: 110,
    isBrief: true,
  },
];
