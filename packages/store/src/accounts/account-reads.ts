// SQL by hand for the keys that are valid now, on the database's clock.
import type { Database } from '../database/database.ts';
import { readPage, type Page, type PageCursors } from '../database/page.ts';

/** An account as its operator sees it. */
export interface AccountOverview {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  /** Since when it begins no new work; null: it is not suspended. */
  readonly suspendedAt: Date | null;
  /** Unfinished videos that it may have; null: as the configuration says. */
  readonly activeVideosLimit: number | null;
  readonly balanceQuota: number;
  readonly heldQuota: number;
  /** What text cost beyond what the account had. */
  readonly debtQuota: number;
  /** Unfinished tasks. */
  readonly activeVideos: number;
  /** Keys that are neither revoked nor expired. */
  readonly activeKeys: number;
}

/** A key as its operator sees it: everything but the key. */
export interface KeyOverview {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly string[];
  /** Empty: every model. */
  readonly models: readonly string[];
  /** Null: the configuration's default. */
  readonly requestsPerMinute: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** To the minute; null: never. */
  readonly lastUsedAt: Date | null;
}

export interface AccountReads {
  find(accountId: string): Promise<AccountOverview | undefined>;
  page(cursors: PageCursors): Promise<Page<AccountOverview>>;
  keys(question: PageCursors & { readonly accountId: string }): Promise<Page<KeyOverview>>;
  findKey(keyId: string): Promise<KeyOverview | undefined>;
}

const keyFields = {
  id: true,
  accountId: true,
  name: true,
  prefix: true,
  scopes: true,
  models: true,
  requestsPerMinute: true,
  createdAt: true,
  expiresAt: true,
  revokedAt: true,
  lastUsedAt: true,
} as const;

const accountFields = {
  id: true,
  name: true,
  createdAt: true,
  suspendedAt: true,
  activeVideosLimit: true,
  videos: { select: { active: true } },
} as const;

interface AccountRecord {
  readonly id: string;
  readonly name: string;
  readonly createdAt: Date;
  readonly suspendedAt: Date | null;
  readonly activeVideosLimit: number | null;
  readonly videos: { readonly active: number } | null;
}

export function createAccountReads(database: Database): AccountReads {
  return {
    async find(accountId) {
      const prisma = await database.prisma();
      const account = await prisma.account.findUnique({
        where: { id: accountId },
        select: accountFields,
      });
      return account === null ? undefined : (await overviewsOf(database, [account]))[0];
    },
    async page(cursors) {
      const prisma = await database.prisma();
      const { items, hasMore } = await readPage(cursors, ({ ids, order, take }) =>
        prisma.account.findMany({
          where: { id: ids },
          select: accountFields,
          orderBy: { id: order },
          take,
        }),
      );
      return { items: await overviewsOf(database, items), hasMore };
    },
    async keys({ accountId, ...cursors }) {
      const prisma = await database.prisma();
      return readPage(cursors, ({ ids, order, take }) =>
        prisma.apiKey.findMany({
          where: { accountId, id: ids },
          select: keyFields,
          orderBy: { id: order },
          take,
        }),
      );
    },
    async findKey(keyId) {
      const prisma = await database.prisma();
      return (
        (await prisma.apiKey.findUnique({ where: { id: keyId }, select: keyFields })) ?? undefined
      );
    },
  };
}

/**
 * With their balances and the numbers of their valid keys, which are read for all of them at once.
 */
async function overviewsOf(
  database: Database,
  accounts: readonly AccountRecord[],
): Promise<AccountOverview[]> {
  const accountId = { in: accounts.map(({ id }) => id) };
  const prisma = await database.prisma();
  const balances = await prisma.balance.findMany({
    where: { accountId },
    select: { accountId: true, balance: true, held: true, debtQuota: true },
  });
  const { rows: keys } = await database.pool.query<{ accountId: string; count: number }>(
    `SELECT account_id AS "accountId", count(*)::int AS count FROM api_key
     WHERE account_id = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) GROUP BY account_id`,
    [accountId.in],
  );
  const balanceOf = new Map(balances.map((row) => [row.accountId, row]));
  const keysOf = new Map(keys.map((row) => [row.accountId, row.count]));
  return accounts.map(({ videos, ...account }) => ({
    ...account,
    balanceQuota: Number(balanceOf.get(account.id)?.balance ?? 0),
    heldQuota: Number(balanceOf.get(account.id)?.held ?? 0),
    debtQuota: Number(balanceOf.get(account.id)?.debtQuota ?? 0),
    activeVideos: videos?.active ?? 0,
    activeKeys: keysOf.get(account.id) ?? 0,
  }));
}
