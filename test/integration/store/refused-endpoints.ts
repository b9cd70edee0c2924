import type { Task } from '@gateway/contracts';

const endpoint = (columns: string, values: string): string =>
  `INSERT INTO endpoint (id, account_id, ${columns}) VALUES ('endpoint_x', $account, ${values})`;
const callback = (columns: string, values: string): string =>
  `INSERT INTO endpoint_callback (callback_id, task_id, endpoint_id, account_id, newest_sequence, settled_sequence, ${columns})
   VALUES ('x', $task, 'endpoint_x', $account, 1, 0, ${values})`;

/** What the tables of endpoints refuse. */
export const refusedEndpoints: readonly (readonly [string, Task['status'], string])[] = [
  ['endpoint_url', 'queued', endpoint('url', `''`)],
  ['endpoint_url', 'queued', endpoint('url', `repeat('x', 2049)`)],
  [
    'endpoint_events',
    'queued',
    endpoint('url, events', `'https://receiver.example/hook', '{done}'`),
  ],
  ['endpoint_callback_state', 'queued', callback('state', `'unverified'`)],
  ['endpoint_callback_stopped', 'queued', callback('state', `'stopped'`)],
  ['endpoint_callback_stopped', 'queued', callback('stop_reason', `'gone'`)],
  [
    'endpoint_callback_stopped',
    'queued',
    callback('state, stop_reason, due_at', `'stopped', 'gone', now()`),
  ],
  ['endpoint_callback_budget', 'queued', callback('failures', '7')],
  ['endpoint_callback_budget', 'queued', callback('failures', '-1')],
  [
    'endpoint_push_state',
    'queued',
    `INSERT INTO endpoint_push (callback_id, sequence, status, state) VALUES ('x', 1, 'queued', 'sent')`,
  ],
];
