import type { Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createLedger,
  createMetering,
  createTaskCreation,
  createTaskMoves,
  createTaskReads,
  createUsageOutbox,
  type Database,
} from '@gateway/store';
import { aNewTask, wideBounds } from '@gateway/testing';
import { createTaskInserter } from '../../../services/api/src/adapters/task-inserter.ts';
import { createTakeHold } from '../../../services/billing/src/use-cases/take-hold.ts';
import { aHoldRequest } from '../store/books.ts';
import { end, succeed } from '../store/stories.ts';
import { aUsageRecord } from '../store/usage.ts';
import type { Facts, Outcome, TaskModel } from './audit-task.ts';

/** Price of a second in these tests. */
export const secondQuota = 10;

export type MoveName = 'claim' | 'accepted' | 'stored' | 'failed' | 'expired' | 'cancelled';

export interface Usage {
  readonly batch: string;
  readonly record: string;
  readonly cost: bigint;
}

/** The queue before one vendor. */
export interface VendorQueue {
  readonly provider: string;
  readonly slots: number;
}

/** One replica of billing, worker and api, each asking again when its connection breaks. */
export interface Replica {
  take(task: TaskModel): Promise<Outcome>;
  create(
    task: TaskModel,
    queue: VendorQueue,
  ): Promise<{ outcome: Outcome; task: Task | undefined }>;
  /**
   * Gives free slots at the vendor of this queue; returns also copies of the tasks as they are
   * then.
   */
  admit(queue: VendorQueue): Promise<{ outcome: Outcome; tasks: Task[] }>;
  move(
    task: TaskModel,
    name: MoveName,
    seen: Task,
  ): Promise<{ outcome: Outcome; task: Task | undefined }>;
  settle(task: TaskModel): Promise<Outcome>;
  release(): Promise<Outcome>;
  topUp(account: string, quota: number): Promise<Outcome>;
  usage(account: string, usage: Usage): Promise<Outcome>;
}

/** Repeats what was lost with its connection, and says whether anything was. */
async function insisting<Value>(
  work: (again: boolean) => Promise<Value>,
): Promise<{ value: Value; lost: boolean }> {
  for (let lost = false; ; lost = true) {
    try {
      return { value: await work(lost), lost };
    } catch (error) {
      if (!/connection|terminat|timeout exceeded/i.test(String(error))) throw error;
    }
  }
}

export function createReplica(database: Database): Replica {
  const [holds, ledger, metering, creation, moves, reads, outbox] = [
    createHolds(database),
    createLedger(database),
    createMetering(database),
    createTaskCreation(database),
    createTaskMoves(database),
    createTaskReads(database),
    createUsageOutbox(database),
  ];
  const takeHold = createTakeHold({
    take: holds.take,
    giveBack: () => Promise.resolve(),
    bounds: wideBounds,
  });
  const insertTask = createTaskInserter(creation, wideBounds);
  const requestOf = (task: TaskModel) =>
    aHoldRequest(task.account, { taskId: task.id, seconds: task.quota / secondQuota, secondQuota });
  const write = async (name: MoveName, seen: Task): Promise<Task | undefined> => {
    if (name === 'claim') {
      const claimed = await moves.claimSubmission(seen);
      return typeof claimed === 'string' ? undefined : claimed;
    }
    if (name === 'accepted') {
      return moves.move(seen, 'accepted', { changes: { step: 'poll', vendorTaskId: 'vendor' } });
    }
    return name === 'stored' ? succeed(moves, seen, secondsOf(seen)) : end(moves, seen, name);
  };
  return {
    async take(task) {
      const { value, lost } = await insisting(() => takeHold(requestOf(task)));
      return { kind: 'take', task, response: value.outcome, lost };
    },
    async create(task, { provider }) {
      const price = {
        secondQuota,
        reservedSeconds: task.quota / secondQuota,
        maxQuota: task.quota,
      };
      const draft = aNewTask(task.account, {
        id: task.id,
        price,
        callbackUrl: 'https://receiver.example/hook',
      });
      const { value, lost } = await insisting(() =>
        insertTask({ ...draft, vendor: { ...draft.vendor, provider } }, undefined, 2_147_483_647),
      );
      const created = typeof value === 'object' ? value : undefined;
      return {
        outcome: { kind: 'create', task, created: created !== undefined, lost },
        task: created,
      };
    },
    async admit({ provider, slots }) {
      const { value: admitted, lost } = await insisting(() =>
        moves.admit(provider, { maxConcurrent: slots, most: 3 }),
      );
      const tasks = await Promise.all(admitted.map((id) => insisting(() => reads.find(id))));
      return {
        outcome: { kind: 'admit', admitted, lost },
        tasks: tasks.flatMap(({ value }) => value ?? []),
      };
    },
    async move(task, name, seen) {
      const { value, lost } = await insisting(() => write(name, seen));
      const won = value && { status: value.status, epoch: value.epoch };
      return {
        outcome: {
          kind: 'move',
          task,
          target: targets[name],
          billed: secondsOf(seen) * secondQuota,
          from: { status: seen.status, epoch: seen.epoch },
          won,
          lost,
        },
        task: value,
      };
    },
    async settle(task) {
      const { value, lost } = await insisting(() => holds.settle(task.id));
      return { kind: 'settle', task, closed: value, lost };
    },
    async release() {
      const { value, lost } = await insisting(() => holds.releaseOrphans(0));
      return { kind: 'release', released: value, lost };
    },
    async topUp(account, quota) {
      const note = newId('attempt');
      // A top-up has no key of its own: who lost the response has to look before asking again.
      const { lost } = await insisting(async (again) => {
        if (
          again &&
          (
            await database.pool.query(
              'SELECT 1 FROM ledger_entry WHERE account_id = $1 AND note = $2',
              [account, note],
            )
          ).rowCount === 1
        ) {
          return;
        }
        await ledger.topUp(account, quota, note);
      });
      return { kind: 'top-up', account, quota, lost };
    },
    async usage(account, { batch, record, cost }) {
      const { lost } = await insisting(async () => {
        await outbox.save({
          id: batch,
          records: [aUsageRecord(account, { id: record, cost_nano: String(cost) })],
        });
        await Promise.all([metering.apply(batch), metering.apply(batch)]);
      });
      return { kind: 'usage', account, costs: new Map([[record, cost]]), lost };
    },
  };
}

/**
 * Billed anything from one second to all, by the epoch at which it is said: rivals say different
 * figures.
 */
const secondsOf = (seen: Task): number => 1 + (seen.epoch % seen.price.reservedSeconds);

const targets: Readonly<Record<MoveName, string | undefined>> = {
  claim: undefined,
  accepted: 'running',
  stored: 'succeeded',
  failed: 'failed',
  expired: 'expired',
  cancelled: 'cancelled',
};

/** The rows as they are, by plain statements of the test's own. */
export async function factsOf({ pool }: Database, accountIds: readonly string[]): Promise<Facts> {
  const rows = async <Row>(sql: string): Promise<Row[]> =>
    (await pool.query(sql, [accountIds])).rows as Row[];
  const holds = await rows<{ task_id: string; state: 'open' | 'closed'; charged_quota: number }>(
    'SELECT task_id, state, charged_quota FROM hold WHERE account_id = ANY($1)',
  );
  const tasks = await rows<{
    id: string;
    status: string;
    epoch: number;
    billed_quota: number | null;
    admitted: boolean;
    at_vendor: boolean;
  }>(
    `SELECT id, status, epoch, billed_quota, admitted_at IS NOT NULL AS admitted, step NOT IN ('ingest', 'done') AS at_vendor FROM task WHERE account_id = ANY($1)`,
  );
  const balances = await rows<{
    account_id: string;
    balance: number;
    held: number;
    text_remainder_nano: number;
    debt_quota: number;
  }>(
    'SELECT account_id, balance, held, text_remainder_nano, debt_quota FROM balance WHERE account_id = ANY($1)',
  );
  const entries = await rows<{ account_id: string; quota: number }>(
    `SELECT account_id, quota FROM ledger_entry WHERE account_id = ANY($1) AND kind = 'charge' AND task_id IS NULL`,
  );
  const debts = await rows<{ account_id: string; quota: number }>(
    `SELECT account_id, quota FROM ledger_entry WHERE account_id = ANY($1) AND kind = 'debt'`,
  );
  const missing = await rows<{ account_id: string; quota: number }>(
    'SELECT account_id, quota FROM usage_uncollected WHERE account_id = ANY($1)',
  );
  const sumOf = (list: typeof entries, id: string): number =>
    list.filter((row) => row.account_id === id).reduce((sum, row) => sum + row.quota, 0);
  return {
    holds: new Map(
      holds.map((row) => [row.task_id, { state: row.state, charged: row.charged_quota }]),
    ),
    tasks: new Map(
      tasks.map((row) => [
        row.id,
        {
          status: row.status,
          epoch: row.epoch,
          billed: row.billed_quota ?? undefined,
          admitted: row.admitted,
          atVendor: row.admitted && row.at_vendor,
        },
      ]),
    ),
    accounts: new Map(
      balances.map((row) => [
        row.account_id,
        {
          balance: row.balance,
          held: row.held,
          remainderNano: BigInt(row.text_remainder_nano),
          textCharged: sumOf(entries, row.account_id),
          uncollected: sumOf(missing, row.account_id),
          debt: row.debt_quota,
          debtPaid: sumOf(debts, row.account_id),
        },
      ]),
    ),
  };
}
