/** A statement that inserts an adjustment which is right but for these columns. */
const adjustment = (change: Readonly<Record<string, string>>): string => {
  const columns = {
    account_id: '$account',
    kind: `'adjustment'`,
    quota: '1',
    debit: `'operator:issued'`,
    credit: `'available'`,
    balance_after: '0',
    held_after: '0',
    note: `'why'`,
    adjustment_key: `'k'`,
    ...change,
  };
  return `INSERT INTO ledger_entry (${Object.keys(columns).join(', ')}) VALUES (${Object.values(columns).join(', ')})`;
};

const refused = (change: Readonly<Record<string, string>>) =>
  ['ledger_entry_adjustment', 'queued', adjustment(change)] as const;

/** What the database refuses of an adjustment: the constraint, the status of `$task`, the statement. */
export const refusedAdjustments = [
  refused({ quota: '0' }),
  refused({ note: 'NULL' }),
  refused({ note: `' '` }),
  refused({ adjustment_key: 'NULL' }),
  refused({ adjustment_key: `''` }),
  refused({ adjustment_key: `repeat('k', 256)` }),
  refused({ kind: `'top_up'` }),
  refused({ kind: `'top_up'`, adjustment_key: 'NULL', corrected_task_id: '$task' }),
  [
    'ledger_entry_before_adjustment_key_idx',
    'queued',
    `${adjustment({})}; ${adjustment({ quota: '2' })}`,
  ] as const,
];
