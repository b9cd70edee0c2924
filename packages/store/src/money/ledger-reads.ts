// SQL by hand for the statement, whose bounds and entries have to be of one moment; pages go
// through Prisma.
import { GatewayError } from '@gateway/domain';
import type { Database } from '../database/database.ts';
import { mapPage, readPage, type Page, type PageCursors } from '../database/page.ts';
import type { Prisma } from '../generated/client.ts';
import { loadEntryIds, type EntryIds } from './entry-ids.ts';

export const ledgerKinds = [
  'top_up',
  'hold',
  'lease',
  'charge',
  'release',
  'debt',
  'adjustment',
] as const;
export type LedgerKind = (typeof ledgerKinds)[number];

/** One row of the ledger, as its account sees it. */
export interface LedgerEntry {
  /** A cursor; says nothing of other entries. */
  readonly id: string;
  readonly kind: LedgerKind;
  /** The task that it is about; of an adjustment the one that it corrects. */
  readonly taskId: string | null;
  /** What was moved. Below zero only for an adjustment that takes quota away. */
  readonly quota: number;
  /** What this entry adds to everything the account owns: 0 for a hold and a release. */
  readonly balanceChange: number;
  /** What it adds to what is held of that. */
  readonly heldChange: number;
  readonly balanceAfter: number;
  readonly heldAfter: number;
  readonly note: string | null;
  readonly createdAt: Date;
}

export interface LedgerPageQuestion extends PageCursors {
  readonly accountId: string;
}

export interface Statement {
  readonly opening: { readonly balanceQuota: number; readonly heldQuota: number };
  /** Oldest first. */
  readonly entries: readonly LedgerEntry[];
  readonly closing: { readonly balanceQuota: number; readonly heldQuota: number };
}

export interface StatementQuestion {
  readonly accountId: string;
  /**
   * The first moment that counts, and the first that does not any more. Left out: from the
   * beginning, until now.
   */
  readonly from?: Date | undefined;
  readonly until?: Date | undefined;
}

export interface LedgerReads {
  /** Throws invalid_parameter for a cursor that is no entry of the account. */
  page(question: LedgerPageQuestion): Promise<Page<LedgerEntry>>;
  /**
   * Opening balance, entries and closing balance, all seen at one moment. Without `from` it begins
   * with the first entry there is. Throws when they do not add up, and invalid_parameter for a moment
   * whose entries were dropped.
   */
  statement(question: StatementQuestion): Promise<Statement>;
}

const fields = `
  id AS number, kind, coalesce(task_id, corrected_task_id) AS "taskId", CASE WHEN kind = 'adjustment' AND debit = 'available' THEN -quota ELSE quota END AS quota,
  CASE WHEN debit LIKE 'operator:%' THEN quota WHEN credit LIKE 'operator:%' THEN -quota ELSE 0 END AS "balanceChange",
  CASE WHEN credit = 'held' THEN quota WHEN debit = 'held' THEN -quota ELSE 0 END AS "heldChange",
  balance_after AS "balanceAfter", held_after AS "heldAfter", note, created_at AS "createdAt"`;

/**
 * Entries are ordered by their number. A row's time is when its statement began, and one that then
 * waited for the balance may be older than the row before it: a period begins at its first entry
 * and ends at its last one, by number. Where entries were dropped, what is carried of them stands for
 * the one before the first.
 */
const statementSql = `
  WITH mine AS (SELECT * FROM ledger_entry WHERE account_id = $1),
  bounds AS (
    SELECT coalesce(max(id) FILTER (WHERE created_at < $2), 0) AS opening, coalesce(max(id) FILTER (WHERE $3::timestamptz IS NULL OR created_at < $3), 0) AS closing FROM mine)
  SELECT e.*, c.last_at AS "droppedUntil", c.balance AS "carriedBalance", c.held AS "carriedHeld"
  FROM (SELECT 1) once LEFT JOIN ledger_carried c ON c.account_id = $1 AND c.lease_id = ''
  LEFT JOIN (SELECT ${fields}, id <= opening AS "isOpening" FROM mine, bounds WHERE id = opening OR (id > opening AND id <= closing)) e ON true ORDER BY e.number`;

export function createLedgerReads(database: Database): LedgerReads {
  let loading: Promise<EntryIds> | undefined;
  // The key never changes; a read that failed is tried again.
  const entryIds = (): Promise<EntryIds> =>
    (loading ??= loadEntryIds(database).catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
  return {
    async page({ accountId, limit, after, before }) {
      const shown = await entryIds();
      const numberOf = cursorReader(shown, accountId);
      const cursors = {
        limit,
        after: numberOf('after', after),
        before: numberOf('before', before),
      };
      const prisma = await database.prisma();
      const page = await readPage(cursors, ({ ids, order, take }) =>
        prisma.ledgerEntry.findMany({
          where: { accountId, id: ids },
          orderBy: { id: order },
          take,
        }),
      );
      return mapPage(page, (row) => entryOf(row, shown));
    },
    async statement({ accountId, from, until }) {
      const shown = await entryIds();
      const { rows } = await database.pool.query<StatementRow>({
        name: 'ledger-statement',
        text: statementSql,
        values: [accountId, from ?? null, until ?? null],
      });
      const carried = carriedOf(rows[0], { from, until });
      const all = rows.filter(isEntry).map(({ number, isOpening, ...row }) => ({
        ...withoutCarried(row),
        id: shown.of(number, accountId),
        isOpening,
      }));
      const before = all[0]?.isOpening === true ? all[0] : undefined;
      const entries = before === undefined ? all : all.slice(1);
      const opening = before === undefined ? carried : balancesOf(before);
      const last = entries.at(-1);
      return checked({
        opening,
        entries,
        closing: last === undefined ? opening : balancesOf(last),
      });
    },
  };
}

/** With what is carried of entries that were dropped: null where none were. */
interface Carried {
  readonly droppedUntil: Date | null;
  readonly carriedBalance: number | null;
  readonly carriedHeld: number | null;
}

interface StatementEntry extends Omit<LedgerEntry, 'id'>, Carried {
  readonly number: number;
  readonly isOpening: boolean;
}

/** One row, with nothing but what is carried, where there is no entry. */
type StatementRow = StatementEntry | (Carried & { readonly number: null });

const isEntry = (row: StatementRow): row is StatementEntry => row.number !== null;

const withoutCarried = <Row extends Carried>({
  droppedUntil: _until,
  carriedBalance: _balance,
  carriedHeld: _held,
  ...row
}: Row): Omit<Row, keyof Carried> => row;

/** The balance before the first entry there is. */
function carriedOf(
  row: Carried | undefined,
  period: Pick<StatementQuestion, 'from' | 'until'>,
): Statement['opening'] {
  const dropped = row?.droppedUntil ?? undefined;
  if (dropped !== undefined) refuseDropped(period, dropped);
  return { balanceQuota: row?.carriedBalance ?? 0, heldQuota: row?.carriedHeld ?? 0 };
}

function refuseDropped(period: Pick<StatementQuestion, 'from' | 'until'>, dropped: Date): void {
  for (const param of ['from', 'until'] as const) {
    const at = period[param];
    if (at === undefined || at > dropped) continue;
    throw new GatewayError(
      'invalid_parameter',
      `${param} must be later than ${dropped.toISOString()}: the entries of this account up to then were dropped (LEDGER_KEEP_DAYS)`,
      { param },
    );
  }
}

const cursorReader =
  (ids: EntryIds, accountId: string) =>
  (param: 'after' | 'before', id: string | undefined): number | undefined => {
    if (id === undefined) return undefined;
    const number = ids.numberOf(id, accountId);
    if (number !== undefined) return number;
    throw new GatewayError(
      'invalid_parameter',
      `${param} must be the id of an entry of this account; got ${JSON.stringify(id.slice(0, 80))}`,
      { param },
    );
  };

/** As `fields` say it in SQL. */
const entryOf = (
  { id, accountId, kind, debit, credit, ...entry }: Prisma.LedgerEntryGetPayload<object>,
  ids: EntryIds,
): LedgerEntry => {
  const quota = Number(entry.quota);
  return {
    id: ids.of(Number(id), accountId),
    kind: kind as LedgerKind,
    taskId: entry.taskId ?? entry.correctedTaskId,
    quota: kind === 'adjustment' && debit === 'available' ? -quota : quota,
    balanceChange: debit.startsWith('operator:')
      ? quota
      : credit.startsWith('operator:')
        ? -quota
        : 0,
    heldChange: credit === 'held' ? quota : debit === 'held' ? -quota : 0,
    balanceAfter: Number(entry.balanceAfter),
    heldAfter: Number(entry.heldAfter),
    note: entry.note,
    createdAt: entry.createdAt,
  };
};

const balancesOf = (entry: Omit<LedgerEntry, 'id'>): Statement['closing'] => ({
  balanceQuota: entry.balanceAfter,
  heldQuota: entry.heldAfter,
});

function checked(statement: Statement): Statement {
  const { opening, entries, closing } = statement;
  const balance = entries.reduce(
    (total, entry) => total + entry.balanceChange,
    opening.balanceQuota,
  );
  const held = entries.reduce((total, entry) => total + entry.heldChange, opening.heldQuota);
  if (balance === closing.balanceQuota && held === closing.heldQuota) return statement;
  throw new Error(
    `the entries lead to balance ${balance} and held ${held}, the last one says ${closing.balanceQuota} and ${closing.heldQuota}: run billing verify`,
  );
}
