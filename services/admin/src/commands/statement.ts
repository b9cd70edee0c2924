import type { LedgerEntry, Statement } from '@gateway/store';
import { UsageError, type Command } from '../command.ts';
import { knownAccount } from './accounts.ts';

const dayMs = 86_400_000;

export const billingStatement: Command = {
  help: 'Show the ledger of an account for a period, with opening and closing balance',
  example: 'billing statement --account acct_… --from 2026-11-01 --to 2026-11-30 --csv',
  options: {
    account: { required: true, help: 'account id' },
    from: { required: false, help: 'first day, in UTC (default: the first entry)' },
    to: { required: false, help: 'last day, inclusive, in UTC (default: today)' },
    csv: { required: false, flag: true, help: 'print CSV, one line per entry' },
  },
  async run(values, { accounts, ledgerReads }) {
    const from = dayOf('from', values['from']);
    const to = dayOf('to', values['to']);
    if (from !== undefined && to !== undefined && from > to) {
      throw new UsageError(
        `--from must not be after --to; got ${values['from'] ?? ''} and ${values['to'] ?? ''}`,
      );
    }
    if (values['csv'] !== undefined && values['json'] !== undefined) {
      throw new UsageError('--csv and --json cannot be combined');
    }
    const accountId = await knownAccount(values, accounts);
    const statement = await ledgerReads.statement({
      accountId,
      from,
      until: to && new Date(to.getTime() + dayMs),
    });
    return {
      ok: true,
      lines: values['csv'] === undefined ? linesOf(statement) : csvOf(statement),
      data: dataOf(accountId, statement),
    };
  },
};

function dayOf(option: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const day = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : NaN);
  // A day that a month does not have is refused, not moved into the next month.
  if (Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== text) {
    throw new UsageError(
      `--${option} must be a day such as 2026-11-21; got ${JSON.stringify(text)}`,
    );
  }
  return day;
}

const columns = [
  'id',
  'created_at',
  'kind',
  'task_id',
  'quota',
  'balance_after',
  'held_after',
  'note',
] as const;

const rowOf = (entry: LedgerEntry): Record<(typeof columns)[number], string | number | null> => ({
  id: entry.id,
  created_at: entry.createdAt.toISOString(),
  kind: entry.kind,
  task_id: entry.taskId,
  quota: entry.quota,
  balance_after: entry.balanceAfter,
  held_after: entry.heldAfter,
  note: entry.note,
});

/** Totals by kind. */
const totalsOf = ({ entries }: Statement): Record<string, number> => {
  const totals: Record<string, number> = {};
  for (const { kind, quota } of entries) totals[kind] = (totals[kind] ?? 0) + quota;
  return totals;
};

const dataOf = (accountId: string, statement: Statement): object => ({
  account_id: accountId,
  opening: {
    balance_quota: statement.opening.balanceQuota,
    held_quota: statement.opening.heldQuota,
  },
  entries: statement.entries.map(rowOf),
  totals: totalsOf(statement),
  closing: {
    balance_quota: statement.closing.balanceQuota,
    held_quota: statement.closing.heldQuota,
  },
});

const linesOf = (statement: Statement): string[] => [
  `opening balance ${statement.opening.balanceQuota}, held ${statement.opening.heldQuota}`,
  ...statement.entries.map(
    (entry) =>
      `${entry.createdAt.toISOString()}  ${entry.kind.padEnd(10)} ${String(entry.quota).padStart(12)}  balance ${entry.balanceAfter}, held ${entry.heldAfter}${tailOf(entry)}`,
  ),
  `closing balance ${statement.closing.balanceQuota}, held ${statement.closing.heldQuota}; ${statement.entries.length} entries${Object.entries(
    totalsOf(statement),
  )
    .map(([kind, quota]) => `, ${kind} ${quota}`)
    .join('')}`,
];

const tailOf = ({ taskId, note }: LedgerEntry): string =>
  `${taskId === null ? '' : `  ${taskId}`}${note === null || note === '' ? '' : `  (${note})`}`;

const csvOf = (statement: Statement): string[] => [
  columns.join(','),
  ...statement.entries.map((entry) => Object.values(rowOf(entry)).map(cellOf).join(',')),
];

/** Text that a spreadsheet would take for a formula gets an apostrophe in front (CWE-1236). */
function cellOf(value: string | number | null): string {
  if (value === null || typeof value === 'number') return String(value ?? '');
  const plain = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
