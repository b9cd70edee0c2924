import type { Task } from '@gateway/contracts';

const action = (via: string, kind: string): string =>
  `INSERT INTO operator_action (via, action, account_id, subject, details) VALUES ('${via}', '${kind}', $account, 'x', '{}')`;

/** What the database refuses about operators and what they look at. */
export const refusedOperators: readonly (readonly [string, Task['status'], string])[] = [
  ['operator_action_via', 'queued', action('post', 'task.cancel')],
  ['operator_action_action', 'queued', action('api', 'task.forget')],
  [
    'account_active_videos_limit',
    'queued',
    'UPDATE account SET active_videos_limit = 0 WHERE id = $account',
  ],
  [
    'gone_model_refusals',
    'queued',
    `INSERT INTO gone_model (provider, upstream_model, detail, refusals, paused_until) VALUES ('p', 'm', 'x', 0, now())`,
  ],
];
