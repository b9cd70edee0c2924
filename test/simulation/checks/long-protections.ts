import type { Guard } from '@gateway/testing';
import type { Protection } from './protection.ts';

export const oneKey: readonly Guard[] = [
  {
    statement: 'INSERT INTO idempotency_key (account_id, key, body_hash, task_id)',
    text: `WHERE idempotency_key.created_at < now() - interval '24 hours'`,
    instead: '',
  },
];

/** Missed in worlds of minutes and hours. */
export const longProtections: readonly Protection[] = [
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
    seed: 3,
  },
  {
    key: 'sweep',
    name: 'the sweep over unfinished tasks',
    guards: [
      { statement: `FROM task WHERE step <> 'done'`, text: `step <> 'done'`, instead: 'false' },
    ],
    fault: /not at rest/,
    seed: 1,
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
    seed: 10,
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
    seed: 1,
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
    seed: 1,
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
    seed: 1,
  },
  {
    key: 'slots',
    name: 'the limit of slots at a vendor',
    guards: [{ statement: 'admit-tasks', text: '$2, $3', instead: '$2 + 1, $3' }],
    fault: /\d+ tasks were given \d+ slots/,
    seed: 2,
  },
  {
    key: 'deleted',
    name: 'the sweep over deleted tasks',
    guards: [
      {
        statement: 'find-deleted',
        text: '($2::text IS NULL OR t.id = $2)',
        instead: 't.id = $2',
      },
    ],
    fault: /not at rest: \S+ is deleted and there/,
    seed: 3,
  },
  {
    key: 'one-key',
    name: 'the one task of an idempotency key',
    guards: oneKey,
    fault: /order \d+ made several tasks/,
    seed: 6,
  },
  {
    key: 'last-push',
    name: 'the push of an end, in the statement that writes it',
    guards: [
      {
        statement:
          'new_push AS (INSERT INTO callback_push (task_id, sequence, status) SELECT id, event_sequence',
        text: 'FROM moved WHERE callback_url IS NOT NULL',
        instead: `FROM moved WHERE callback_url IS NOT NULL AND status = 'running'`,
      },
    ],
    fault: /its receiver was not told the end/,
    seed: 1,
  },
  {
    key: 'charges',
    name: 'what a vendor says that it charges, in the statement of an end',
    guards: [
      {
        statement: 'event_sequence = event_sequence + 1, status = $4',
        text: ', vendor_cost = $8::numeric, vendor_currency = $9::text, cost_source = $10::text',
        instead: '',
      },
    ],
    fault: /was said to cost \S+ USD, and its try says/,
    seed: 30,
  },
];
