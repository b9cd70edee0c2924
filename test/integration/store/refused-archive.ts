/** What the database refuses of an archive: the constraint, the status of `$task`, the statement. */
export const refusedArchive = [
  ...[
    ['billed otherwise than charged', '5, 10, 6'],
    ['charged more than held', '11, 10, 11'],
    ['charged less than nothing', '-1, 10, -1'],
  ].map(
    ([, bill]) =>
      [
        'archived_task_bill',
        'succeeded',
        `INSERT INTO archived_task (task_id, account_id, key_id, model, status, created_at, completed_at, billed_seconds, billed_quota, held_quota, charged_quota)
         VALUES ($task, $account, 'k', 'm', 'succeeded', now(), now(), 1, ${bill})`,
      ] as const,
  ),
  ...[`'image', 1, 0`, `'text', 0, 0`, `'text', 1, -1`].map(
    (values) =>
      [
        'usage_day_kind',
        'queued',
        `INSERT INTO usage_day (account_id, day, model, key_id, kind, requests, cost_nano) VALUES ($account, now()::date, 'm', 'k', ${values})`,
      ] as const,
  ),
  ...['0, 1', '1, -1'].map(
    (countAndCost) =>
      [
        'exposure_day_sums',
        'queued',
        `INSERT INTO exposure_day (day, kind, provider, currency, count, vendor_cost) VALUES ('2026-01-31', 'late_success', 'p', 'USD', ${countAndCost})`,
      ] as const,
  ),
] as const;
