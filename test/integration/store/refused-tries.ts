import type { Task } from '@gateway/contracts';
import { refusedBudgets } from './refused-budgets.ts';
import { refusedOperators } from './refused-operators.ts';
import { refusedPrices } from './refused-prices.ts';

const aTry = (changes: string): string => `UPDATE task_try SET ${changes} WHERE task_id = $task`;

/** What the database refuses about tries: the rule, the status of the task, the statement. */
export const refusedTries: readonly (readonly [string, Task['status'], string])[] = [
  ['task_try_number', 'running', aTry('number = 0')],
  ['task_try_number', 'running', aTry('submissions = 0')],
  ['task_try_ends', 'running', aTry('ended_at = now()')],
  ['task_try_left', 'running', aTry(`left_because = 'not_sent'`)],
  ['task_try_left', 'failed', aTry(`left_because = 'a whim'`)],
  ['task_try_left', 'succeeded', aTry(`left_because = 'not_sent'`)],
  ...refusedPrices,
  ...refusedOperators,
  ...refusedBudgets,
  [
    'task_try_open_idx',
    'running',
    `INSERT INTO task_try (task_id, number, provider, credential_id, upstream_model) VALUES ($task, 2, 'p', 'c', 'm')`,
  ],
];
