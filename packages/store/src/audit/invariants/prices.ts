import type { Invariant } from './invariant.ts';

/** Items that do not multiply out, or do not add up to the quota. */
const wrongSum = (items: string, quota: string): string => `(items_quota(${items}) <> ${quota}
  OR EXISTS (SELECT 1 FROM jsonb_array_elements(${items}) i WHERE (i ->> 'quantity')::numeric * (i ->> 'unit_quota')::numeric <> (i ->> 'quota')::numeric))`;

/** Of what has a price of more than seconds of output. */
export const priceInvariants = {
  hold_is_the_sum_of_its_items: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT task_id AS subject, format('hold %s, items %s', quota, price -> 'items') AS detail
      FROM hold WHERE ${within('task_id')} AND price IS NOT NULL AND ${wrongSum(`price -> 'items'`, 'quota')}`,
  },
  bill_is_the_sum_of_its_items: {
    scope: 'tasks',
    sql: ({ within }) => `
      SELECT id AS subject, format('billed %s, items %s', billed_quota, coalesce(billed_items::text, 'none')) AS detail
      FROM task WHERE ${within('id')} AND price IS NOT NULL AND completed_at IS NOT NULL
        AND CASE WHEN billed_items IS NULL THEN billed_quota <> 0 ELSE ${wrongSum('billed_items', 'billed_quota')} END`,
  },
} as const satisfies Record<string, Invariant>;
