const items = (...quotas: readonly number[]): string =>
  `'${JSON.stringify(
    quotas.map((quota) => ({ kind: 'clip', quantity: 1, unit_quota: quota, quota })),
  )}'::jsonb`;
const price = (...quotas: readonly number[]): string =>
  `jsonb_build_object('items', ${items(...quotas)})`;
const update = (table: string, set: string): string =>
  `UPDATE ${table} SET ${set} WHERE ${table === 'task' ? 'id' : 'task_id'} = $task`;
const exposed = (columns: string, values: string): string =>
  `INSERT INTO exposure (task_id, kind, provider, detail, ${columns}) VALUES ($task, 'orphan', 'p', 'd', ${values})`;

/** What the database refuses of prices, tries and costs: the constraint, the status of `$task`, the statement. */
export const refusedPrices = [
  ['task_try_outcome', 'succeeded', update('task_try', `outcome = 'lost'`)],
  ['task_try_ends', 'succeeded', update('task_try', 'ended_at = NULL')],
  ['task_try_cost', 'succeeded', update('task_try', `vendor_cost = 1, cost_source = 'reported'`)],
  ['hold_price', 'queued', update('hold', `price = ${price(50, 1)}`)],
  ['hold_price', 'queued', update('hold', `quota = 51, price = ${price(50)}`)],
  ['task_price', 'queued', update('task', `price = ${price(50, 1)}`)],
  ['task_try_cost_source', 'succeeded', update('task_try', `cost_source = 'reported'`)],
  [
    'task_try_cost_source',
    'succeeded',
    update('task_try', `vendor_cost = 1, vendor_currency = 'USD'`),
  ],
  [
    'task_try_cost_source',
    'succeeded',
    update('task_try', `vendor_cost = 1, vendor_currency = 'USD', cost_source = 'guessed'`),
  ],
  ['exposure_cost', 'failed', exposed('vendor_cost', '1')],
  ['exposure_cost', 'failed', exposed('vendor_cost, vendor_currency', `1, 'USD'`)],
  [
    'exposure_cost',
    'failed',
    exposed('vendor_cost, vendor_currency, cost_source', `1, 'USD', 'guessed'`),
  ],
] as const;

/** The same of bills, past the trigger that keeps them. */
export const refusedPricedBills = [
  ['task_bill', 'succeeded', update('task', `billed_items = ${items(30)}`)],
  [
    'task_bill',
    'succeeded',
    update('task', `price = ${price(50)}, billed_items = ${items(30, 1)}`),
  ],
  ['task_bill', 'succeeded', update('task', `price = ${price(50)}`)],
  [
    'task_bill',
    'succeeded',
    update('task', `price = ${price(50)}, billed_quota = 51, billed_items = ${items(51)}`),
  ],
] as const;
