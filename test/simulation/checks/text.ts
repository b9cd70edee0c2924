import type { Database } from '@gateway/store';
import { leaseTimes, replicaLeaseSeconds, type Promised } from '../actors/settings.ts';
import { requestIdOf, reservedNano, usageIdOf, type Served } from '../actors/text/request.ts';
import type { FailOver } from '../actors/surroundings.ts';
import type { TextAccount, TextExperience, TextWorld } from '../actors/text/world.ts';
import { textExcuseOf, type LostTextExcuse } from './lost-commits.ts';
import { faultsOfUsage, isKilled, mayBeCut, type RecordRow } from './usage.ts';

export interface TextEvidence {
  readonly database: Pick<Database, 'pool'>;
  readonly text: TextWorld;
  readonly promised: Pick<Promised, 'sweepMs'>;
  /** When nothing went wrong any more. */
  readonly calmAt: number;
  readonly failOvers: readonly FailOver[];
}

interface LeaseRow {
  readonly id: string;
  readonly account_id: string;
  readonly replica: string;
  readonly state: string;
  readonly closed_ms: number | null;
}

interface BalanceRow {
  readonly account_id: string;
  readonly topped_up: number;
  readonly balance: number;
  readonly held: number;
  readonly debt: number;
  readonly remainder: number;
  readonly videos: number;
}

const recordsSql = `SELECT id, account_id, request_id, outcome, input_tokens::int AS input, output_tokens::int AS output, estimated, cost_nano::text AS cost FROM usage_record ORDER BY id`;
const leasesSql = `SELECT id, account_id, replica, state, (extract(epoch FROM closed_at) * 1000)::float8 AS closed_ms FROM text_lease ORDER BY id`;
const balancesSql = `
  SELECT b.account_id, b.balance, b.held, b.debt_quota AS debt,
    b.text_remainder_nano + (SELECT coalesce(sum(l.remainder_nano), 0)::bigint FROM text_lease l WHERE l.account_id = b.account_id AND l.state = 'open') AS remainder,
    (SELECT coalesce(sum(e.quota), 0)::bigint FROM ledger_entry e WHERE e.account_id = b.account_id AND e.kind = 'top_up') AS topped_up,
    (SELECT coalesce(sum(billed_quota), 0)::bigint FROM (SELECT account_id, billed_quota FROM task UNION ALL SELECT account_id, billed_quota FROM deleted_task) v WHERE v.account_id = b.account_id) AS videos
  FROM balance b ORDER BY b.account_id`;
const leftSql = `SELECT (SELECT count(*) FROM usage_batch)::int AS batches, (SELECT count(*) FROM usage_open)::int AS open`;

/** What upstreams and clients saw against the usage, the leases and the ledger. */
export async function findFaultsOfText(evidence: TextEvidence): Promise<string[]> {
  const { pool } = evidence.database;
  const rows = async <Row>(sql: string): Promise<Row[]> => (await pool.query(sql)).rows as Row[];
  const records = await rows<RecordRow>(recordsSql);
  const leases = await rows<LeaseRow>(leasesSql);
  const balances = await rows<BalanceRow>(balancesSql);
  const left = await rows<{ batches: number; open: number }>(leftSql);
  const { text } = evidence;
  const excuse = textExcuseOf(evidence.failOvers);
  const byId = new Map(records.map((record) => [record.id, record]));
  const known = new Set(text.served.map(usageIdOf));
  return [
    ...left.flatMap(({ batches, open }) =>
      batches + open === 0
        ? []
        : [`text at rest: ${batches} batches and ${open} open records are left`],
    ),
    ...(text.spool.size === 0 ? [] : [`text at rest: ${text.spool.size} files are in the spool`]),
    ...records
      .filter(({ id }) => !known.has(id))
      .map(({ id, request_id: request }) => `${id} of ${request}: nobody asked for it`),
    ...text.served.flatMap((served) => faultsOfUsage(served, byId.get(usageIdOf(served)), excuse)),
    ...text.experiences.flatMap((experience) => faultsOfTold(experience, records, evidence)),
    ...leases.flatMap((lease) => faultsOfLease(lease, evidence)),
    ...text.accounts.flatMap((account) =>
      faultsOfAccount(account, {
        evidence,
        excuse,
        records,
        balance: balances.find((row) => row.account_id === account.id),
      }),
    ),
  ];
}

function faultsOfTold(
  { wish, told, code }: TextExperience,
  records: readonly RecordRow[],
  { text }: TextEvidence,
): string[] {
  const mine = records.filter(({ request_id: id }) => id === requestIdOf(wish));
  const account = text.accounts.find(({ id }) => id === wish.accountId);
  const faults = mine.length > 1 ? [`text ${wish.number} is recorded ${mine.length} times`] : [];
  if (told === 'a refusal' && mine.length > 0) {
    faults.push(`text ${wish.number} was refused (${code}) and is charged`);
  }
  if (code === 'insufficient_quota' && account?.isRich === true) {
    faults.push(`text ${wish.number} was refused for want of quota, which its account has`);
  }
  return faults;
}

/** A lease without requests rests thirty times as long as another where it is small; then it is closed. */
const idleLeaseMs = 30 * leaseTimes.idleMs + 120_000;

function faultsOfLease(
  { id, account_id: accountId, replica: name, state, closed_ms: closedMs }: LeaseRow,
  { text, promised, calmAt }: TextEvidence,
): string[] {
  const replica = text.replicas.get(name);
  if (state === 'open' || closedMs === null) return [`a lease of ${name} is still open`];
  const lastUse = Math.max(
    ...text.served
      .filter((served) => served.replica === replica && served.wish.accountId === accountId)
      .map((served) => served.endedAt ?? replica?.endedAt ?? 0),
    0,
  );
  const goneMs = replicaLeaseSeconds * 1_000 + 2 * promised.sweepMs + 60_000;
  const by =
    replica?.endedAt === undefined
      ? Math.max(calmAt, lastUse) + idleLeaseMs
      : Math.max(calmAt, replica.endedAt) + goneMs;
  if (closedMs <= by) return [];
  return [`${id} of ${name} was closed ${Math.round((closedMs - by) / 1_000)} s too late`];
}

interface AccountBooks {
  readonly evidence: TextEvidence;
  readonly excuse: LostTextExcuse;
  readonly records: readonly RecordRow[];
  readonly balance: BalanceRow | undefined;
}

const nano = 1_000_000_000n;

/** Every record is paid for once, and an account owes no more than what went beyond its reservations. */
function faultsOfAccount(
  { id, toppedUp }: TextAccount,
  { evidence, excuse, records, balance }: AccountBooks,
): string[] {
  const mine = records.filter(({ account_id: owner }) => owner === id);
  const cost = mine.reduce((sum, record) => sum + BigInt(record.cost), 0n);
  if (balance === undefined) return [`${id} has no balance`];
  const { topped_up: added, balance: has, held, debt, remainder, videos } = balance;
  const paid = BigInt(added - has + debt - videos) * nano + BigInt(remainder);
  const faults: string[] = [];
  const kept = toppedUp - excuse.lostTopUps(id);
  if (added !== kept) faults.push(`${id} was topped up by ${kept}, and has ${added}`);
  if (paid !== cost) faults.push(`${id} used ${cost} nano-quota of text and paid for ${paid}`);
  if (held < 0 || has < held) faults.push(`${id} has ${has} with ${held} held`);
  if (debt > 0 && has > held) faults.push(`${id} owes ${debt} and has ${has - held} available`);
  const excess = evidence.text.served.reduce((sum, served) => {
    const record = mine.find((one) => one.id === usageIdOf(served));
    if (record === undefined) return sum;
    const cost = Number(record.cost);
    return sum + (excuse.lostReserve(served) ? cost : excessOf(served, cost));
  }, 0);
  // Fractions that were carried become due with it, of the account and of its leases.
  if (debt * 1e9 > excess + 3e9) {
    faults.push(`${id} owes ${debt}; ${excess} nano-quota went beyond`);
  }
  return faults;
}

/** All of it where its replica was gone by the time that it was charged: nothing was set aside then. */
const excessOf = (served: Served, cost: number): number =>
  isKilled(served.replica) || mayBeCut(served)
    ? cost
    : Math.max(0, cost - reservedNano(served.wish));
