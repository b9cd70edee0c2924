import type { Database } from '@gateway/store';
import { costNano, idOf, type Served } from './request.ts';

/** What somebody saw from outside of one account. */
export interface Account {
  readonly id: string;
  toppedUp: number;
  /** Quota of video holds that are open. */
  readonly holds: Map<string, number>;
  /** Records that were in the books when the account last owed nothing. */
  clear: ReadonlySet<string>;
}

interface Entry {
  account_id: string;
  kind: string;
  quota: number;
  debit: string;
  balance_after: number;
  held_after: number;
}

interface Figures {
  account_id: string;
  balance: number;
  held: number;
  debt: number;
  remainder: number;
  /** Of open leases. */
  leased: number;
  lease_remainder: number;
}

interface Recorded {
  id: string;
  account_id: string;
  input: number;
  output: number;
  estimated: boolean;
  cost: string;
}

interface LeaseRow {
  id: string;
  replica: string;
  state: string;
  purse: string;
}

export interface Books {
  readonly entries: ReadonlyMap<string, readonly Entry[]>;
  readonly figures: ReadonlyMap<string, Figures>;
  readonly recorded: ReadonlyMap<string, Recorded>;
  readonly leases: ReadonlyMap<string, LeaseRow>;
}

const nano = 1_000_000_000n;

/** Plain reads of what the statements of the gateway left, with none of its own queries. */
export async function readBooks({ pool }: Database, ids: readonly string[]): Promise<Books> {
  const [entries, figures, recorded, leases] = await Promise.all([
    pool.query<Entry>(
      'SELECT account_id, kind, quota, debit, balance_after, held_after FROM ledger_entry WHERE account_id = ANY($1) ORDER BY id',
      [ids],
    ),
    pool.query<Figures>(
      `SELECT account_id, balance, held, debt_quota AS debt, text_remainder_nano AS remainder,
         (SELECT coalesce(sum(held_quota), 0)::bigint FROM text_lease l WHERE l.account_id = b.account_id AND l.state = 'open') AS leased,
         (SELECT coalesce(sum(remainder_nano), 0)::bigint FROM text_lease l WHERE l.account_id = b.account_id AND l.state = 'open') AS lease_remainder
       FROM balance b WHERE account_id = ANY($1)`,
      [ids],
    ),
    pool.query<Recorded>(
      'SELECT id, account_id, input_tokens AS input, output_tokens AS output, estimated, cost_nano::text AS cost FROM usage_record WHERE account_id = ANY($1)',
      [ids],
    ),
    pool.query<LeaseRow>(
      'SELECT id, replica, state, (held_quota * 1000000000::numeric - remainder_nano)::text AS purse FROM text_lease WHERE account_id = ANY($1)',
      [ids],
    ),
  ]);
  const byAccount = new Map<string, Entry[]>(ids.map((id) => [id, []]));
  for (const entry of entries.rows) byAccount.get(entry.account_id)?.push(entry);
  return {
    entries: byAccount,
    figures: new Map(figures.rows.map((row) => [row.account_id, row])),
    recorded: new Map(recorded.rows.map((row) => [row.id, row])),
    leases: new Map(leases.rows.map((row) => [row.id, row])),
  };
}

/** Where each kind of entry moves quota: balance, held. */
const moves: Readonly<Record<string, readonly [number, number]>> = {
  'top_up operator:issued': [1, 0],
  'hold available': [0, 1],
  'lease available': [0, 1],
  'release held': [0, -1],
  'charge held': [-1, -1],
  'charge available': [-1, 0],
  'debt available': [-1, 0],
};

const sumOf = (entries: readonly Entry[], kind: string): number =>
  entries.reduce((sum, entry) => (entry.kind === kind ? sum + entry.quota : sum), 0);

/** The entries of one account, replayed from nothing. */
function* ledgerFaults({ id, toppedUp }: Account, books: Books): Generator<string> {
  const entries = books.entries.get(id) ?? [];
  let [balance, held] = [0, 0];
  for (const entry of entries) {
    const [ofBalance, ofHeld] = moves[`${entry.kind} ${entry.debit}`] ?? [NaN, NaN];
    balance += ofBalance * entry.quota;
    held += ofHeld * entry.quota;
    if (balance !== entry.balance_after || held !== entry.held_after) {
      yield `${id}: ${JSON.stringify(entry)} should lead to ${balance} and ${held}`;
    }
    if (held < 0 || balance < held) yield `${id}: overdrawn, ${balance} with ${held} held`;
  }
  if (sumOf(entries, 'top_up') !== toppedUp) yield `${id}: was topped up by ${toppedUp}`;
}

/** The figures of one account against what was seen of it. */
function* balanceFaults(account: Account, books: Books): Generator<string> {
  const { id, toppedUp, holds } = account;
  const figures = books.figures.get(id);
  if (figures === undefined) return;
  const { balance, held, debt, remainder, leased, lease_remainder: ofLeases } = figures;
  const videos = [...holds.values()].reduce((sum, quota) => sum + quota, 0);
  if (held !== videos + leased) yield `${id}: held ${held}, videos ${videos}, leases ${leased}`;
  if (remainder < 0 || remainder >= 1e9) yield `${id}: carries ${remainder} nano`;
  let cost = 0n;
  for (const record of books.recorded.values()) {
    if (record.account_id === id) cost += BigInt(costNano(record.input, record.output));
  }
  // No video is charged here: all that is gone was text.
  const paid = BigInt(toppedUp - balance + debt) * nano + BigInt(remainder + ofLeases);
  if (cost !== paid) yield `${id}: used ${cost} nano, paid, owes and carries ${paid}`;
}

/** One request against what its upstream read and wrote. */
function* usageFaults(served: Served, books: Books, isOver: boolean): Generator<string> {
  const record = books.recorded.get(idOf(served));
  const name = `${idOf(served)} of ${served.accountId}, ${served.state}`;
  if (record !== undefined) {
    yield* markFaults(served, record, name);
    yield* amountFaults(served, record, name);
  } else if (isOver && (served.saved || served.openAt !== undefined)) {
    yield `${name}: is in no book`;
  }
}

function* markFaults({ state, cutOff }: Served, record: Recorded, name: string): Generator<string> {
  if (BigInt(record.cost) !== BigInt(costNano(record.input, record.output))) {
    yield `${name}: ${JSON.stringify(record)} has another price`;
  }
  if (state !== 'completed' && !record.estimated) yield `${name}: is not marked as an estimate`;
  if (state === 'completed' && record.estimated && !cutOff) yield `${name}: is marked as one`;
}

function* amountFaults(served: Served, record: Recorded, name: string): Generator<string> {
  const { wish, sent, openAt, saved, cutOff } = served;
  // The estimate of a prompt errs by a fifth at most here; that of what was written by nothing.
  const seen = cutOff || !saved ? (openAt ?? 0) : sent;
  const isRight = record.estimated
    ? record.input >= wish.prompt * 0.8 && record.output >= seen
    : record.input === wish.prompt && record.output === sent;
  if (!isRight) {
    yield `${name}: ${JSON.stringify(record)}, the upstream had read ${wish.prompt} and sent ${seen}`;
  }
}

/**
 * What a request may cost beyond what was set aside for it: what is longer than the hold, or than
 * the estimate of its prompt; all of it where nothing was set aside any more.
 */
const excessOf = ({ reservedNano, outlived }: Served, { input, output }: Recorded): number =>
  Math.max(0, costNano(input, output) - (outlived ? 0 : reservedNano));

/** A debt is made of excesses alone, of requests since the account last owed nothing. */
function* debtFaults(account: Account, all: readonly Served[], books: Books): Generator<string> {
  const debt = books.figures.get(account.id)?.debt ?? 0;
  let excess = 0;
  const known = new Set<string>();
  for (const served of all) {
    const record = books.recorded.get(idOf(served));
    if (served.accountId !== account.id || record === undefined) continue;
    known.add(record.id);
    if (!account.clear.has(record.id)) excess += excessOf(served, record);
  }
  // Fractions that were carried, of the account and of two leases, become due with it.
  if (debt * 1e9 > excess + 3e9) {
    yield `${account.id}: owes ${debt}, its excesses are ${excess} nano`;
  }
  if (debt === 0) account.clear = known;
}

/** What running requests have set aside is held for them, less what others took beyond theirs. */
function* leaseFaults(all: readonly Served[], books: Books): Generator<string> {
  const needed = new Map<string, number>();
  const add = (leaseId: string, nanoQuota: number): void => {
    needed.set(leaseId, (needed.get(leaseId) ?? 0) + nanoQuota);
  };
  for (const served of all) {
    const record = books.recorded.get(idOf(served));
    if (record !== undefined) add(served.leaseId(), -excessOf(served, record));
    else if (served.state === 'running' && !served.outlived) {
      add(served.leaseId(), served.reservedNano);
    }
  }
  for (const [leaseId, nanoQuota] of needed) {
    const purse = Number(books.leases.get(leaseId)?.purse ?? 0);
    if (nanoQuota > purse) yield `${leaseId}: holds ${purse} nano, ${nanoQuota} are set aside`;
  }
}

export function* faultsOf(
  { accounts, all }: { readonly accounts: readonly Account[]; readonly all: readonly Served[] },
  books: Books,
  isOver: boolean,
): Generator<string> {
  for (const account of accounts) {
    yield* ledgerFaults(account, books);
    yield* balanceFaults(account, books);
    yield* debtFaults(account, all, books);
  }
  for (const served of all) yield* usageFaults(served, books, isOver);
  yield* leaseFaults(all, books);
  const known = new Set(all.map(idOf));
  for (const { id } of books.recorded.values()) if (!known.has(id)) yield `${id}: nobody asked`;
}
