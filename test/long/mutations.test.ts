/** @workers 3: it promises no times. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createHolds,
  createLedger,
  createMetering,
  createTaskMoves,
  createTaskReads,
  createUsageOutbox,
  createUsageRecovery,
  createWork,
  type Database,
} from '@gateway/store';
import {
  anAccount,
  aQueuedTask,
  openTestDatabase,
  withoutGuard,
  withPlace,
  type Guard,
  type TestDatabase,
  type Unguarded,
} from '@gateway/testing';
import type { VideoProvider } from '@gateway/video-providers';
import { createReconcileMoney } from '../../services/billing/src/use-cases/reconcile-money.ts';
import { createReconcileUsage } from '../../services/billing/src/use-cases/reconcile-usage.ts';
import { createRecoverUsage } from '../../services/billing/src/use-cases/recover-usage.ts';
import { createAdmitTasks } from '../../services/video-worker/src/use-cases/admit-tasks.ts';
import {
  createResolveSubmission,
  createSubmitTask,
} from '../../services/video-worker/src/use-cases/submit-task.ts';
import type { Moves } from '../../services/video-worker/src/use-cases/ports.ts';
import { aHoldRequest, ageHold, morePools } from '../integration/store/books.ts';
import { storiesOf } from '../integration/store/stories.ts';
import { aSavedBatch, aUsageRecord } from '../integration/store/usage.ts';
import { searchFault } from '../integration/proof/model.ts';

/**
 * A proof is worth what it finds: each protection is taken away, by the test alone, and the fault
 * has to be found.
 */

let test: TestDatabase;
beforeEach(async () => {
  test = await openTestDatabase();
});
afterEach(() => test.close());

interface Mutation {
  readonly protection: string;
  readonly guards: readonly Guard[];
  /**
   * What stands behind the protection in the database itself, and would refuse the consequences.
   */
  readonly behind: readonly string[];
  readonly fault: RegExp;
  /**
   * Histories within which it has to be found. Some faults are races, which a search meets by
   * chance; it ends with the first.
   */
  readonly within: number;
  /** At the vendor, where it matters. */
  readonly slots?: number;
}

const openOnly = { text: ` AND h.state = 'open'`, instead: '' };
const closing = "UPDATE hold h SET state = 'closed'";

const mutations: readonly Mutation[] = [
  {
    protection: 'the conditional balance update',
    within: 120,
    guards: ['take-holds', 'take-holds-together'].map((statement) => ({
      statement,
      text: 'WHERE f.running <= locked.available',
      instead: '',
    })),
    behind: ['ALTER TABLE balance DROP CONSTRAINT balance_never_overdrawn'],
    fault: /was held, .* of \d+$|overdrawn/m,
  },
  {
    protection: 'the epoch check',
    within: 120,
    guards: ['UPDATE task SET epoch = epoch + 1', 'claim-submission'].map((statement) => ({
      statement,
      text: 'epoch = $2',
      instead: '$2::int IS NOT NULL',
    })),
    behind: [],
    fault: /a write with epoch \d+ came through at \d+/,
  },
  {
    protection: 'the limit of slots at a vendor',
    within: 120,
    // Few, so that every history fills them.
    slots: 2,
    guards: [{ statement: 'admit-tasks', text: '$2, $3', instead: '$2 + 1, $3' }],
    behind: [],
    fault: /\d+ tasks were given 2 slots/,
  },
  {
    protection: 'the idempotent settle',
    within: 120,
    guards: [
      { statement: 'settle-task', ...openOnly },
      { statement: closing, ...openOnly },
    ],
    behind: ['DROP INDEX ledger_entry_before_task_id_kind_key'],
    fault: /closed \d+ times|balance_never_overdrawn/,
  },
];

describe('the auditor', () => {
  it.each(mutations)(
    'finds the fault within $within histories without $protection',
    async ({ guards, behind, fault, within, slots = 6 }) => {
      for (const sql of behind) await test.database.pool.query(sql);
      const replicas = morePools(test.url, 3);
      const unguarded = replicas.databases.map((database) => withoutGuard(database, guards));

      const found = await searchFault({
        seed: 20_261_121,
        runs: within,
        slots,
        plain: test.database,
        replicas: unguarded.map(({ database }) => database),
      });

      await replicas.close();
      expect(found.fault).toMatch(fault);
      expect(found.run).toBeLessThanOrEqual(within);
      expect(unguarded.some(({ removed }) => removed() > 0)).toBe(true);
    },
    240_000,
  );

  it.each(mutations.filter(({ behind }) => behind.length > 0))(
    'finds an operation that failed without $protection, when the database itself refuses its consequences',
    async ({ guards, within }) => {
      const replicas = morePools(test.url, 3);

      const found = await searchFault({
        seed: 20_261_121,
        runs: within,
        plain: test.database,
        replicas: replicas.databases.map((database) => withoutGuard(database, guards).database),
      });

      await replicas.close();
      expect(found.fault).toMatch(
        /an operation failed: error: .*(balance_never_overdrawn|ledger_entry_before_task_id_kind_key)/,
      );
      await expect(createLedger(test.database).verify({ graceSeconds: 3_600 })).resolves.toEqual(
        [],
      );
    },
    240_000,
  );

  it('says so when a statement does not have the words of its guard', async () => {
    const { database } = withoutGuard(test.database, [
      { statement: 'take-holds', text: 'WHERE nothing', instead: '' },
    ]);

    await expect(createHolds(database).take('acct_x', [aHoldRequest('acct_x')])).rejects.toThrow(
      'the statement take-holds has no WHERE nothing',
    );
  });
});

/** A vendor that takes every task and counts; its worker dies before it writes down the response. */
async function createsAfterCrash(database: Database): Promise<{ creates: number; task: Task }> {
  const { id: accountId } = await anAccount(test.database);
  const task = await aQueuedTask(test.database, accountId);
  let creates = 0;
  const provider = {
    submit: () => {
      creates += 1;
      return Promise.reject(new Error('the worker was killed'));
    },
    find: () =>
      Promise.resolve(creates > 0 ? { kind: 'found', vendorTaskId: 'vendor-1' } : { kind: 'none' }),
  } as unknown as VideoProvider;
  const [moves, reads] = [createTaskMoves(database), createTaskReads(test.database)];
  const ports = {
    vendorOf: () => ({
      provider,
      permitToCreate: () => Promise.resolve({ granted: true } as const),
      requestsPerSecond: 10,
      pace: { firstSeconds: 1, maxSeconds: 1 },
    }),
    gate: {
      hindrance: () => undefined,
      enter: () =>
        Promise.resolve({
          kind: 'granted',
          report: () => undefined,
          end: () => undefined,
        } as const),
      inquire: () => Promise.resolve(),
    },
    toSubmission: () => Promise.resolve({} as never),
    clock: { now: () => Date.now(), random: () => 0.5 },
    find: reads.find,
    unknownAfterMs: 60_000,
    leaveRoute: () => Promise.resolve(false),
    watch: { heard: () => undefined, isGone: () => Promise.resolve(false), busyForMs: () => 0 },
    admitTasks: createAdmitTasks({
      admit: moves.admit,
      admissionOf: () => ({ isOpen: false }),
      maxConcurrentOf: () => 10,
      wakeAll: () => Promise.resolve(),
    }),
    moves: {
      ...moves,
      changeRoutes: () => Promise.resolve([]),
      vendorTaskIdOf: async (id) => (await reads.find(id))?.vendor.taskId ?? null,
      recordExposure: () => Promise.resolve(),
    } satisfies Moves,
  };
  const steps = {
    submit: createSubmitTask(ports),
    submitting: createResolveSubmission(ports),
  } as const;
  // The first worker serves the queue; the second one dies; the third finds what it left behind, and
  // dies as well if it calls the vendor.
  for (let worker = 0; worker < 3; worker += 1) {
    const found = await reads.find(task.id);
    if (found?.step === 'submit' || found?.step === 'submitting') {
      await steps[found.step](found, AbortSignal.timeout(5_000)).catch(() => undefined);
    }
  }
  return { creates, task: (await reads.find(task.id))! };
}

describe('a worker that dies between the vendor’s response and its own write', () => {
  it('leaves a task that is adopted and not created again', async () => {
    expect(await createsAfterCrash(test.database)).toMatchObject({
      creates: 1,
      task: { status: 'running', vendor: { taskId: 'vendor-1' } },
    });
  });

  it('makes the vendor render twice without the committed intent: found within 1 crash', async () => {
    const unguarded = withoutGuard(test.database, [
      {
        statement: 'claim-submission',
        text: `step = 'submitting', submitting_at = now()`,
        instead: `step = 'submit'`,
      },
    ]);

    expect(await createsAfterCrash(unguarded.database)).toMatchObject({ creates: 2 });
    expect(unguarded.removed()).toBe(2);
  });
});

/**
 * Everything a lost wake-up or a crash leaves: an unsettled task, a hold without a task, a batch
 * that nobody took, usage of a replica that is gone, tasks without a job.
 */
async function leftovers(): Promise<{ unfinished: string; overdue: string }> {
  const { id: accountId } = await anAccount(test.database);
  const stories = storiesOf(test.database, accountId);
  const unsettled = await stories.succeeded(3);
  await test.database.pool.query(
    `UPDATE task SET completed_at = now() - interval '2 minutes' WHERE id = $1`,
    [unsettled.id],
  );
  const orphan = aHoldRequest(accountId);
  await createHolds(test.database).take(accountId, [orphan]);
  await ageHold(test.database, orphan.task_id, 600);
  const batch = await aSavedBatch(test.database, [aUsageRecord(accountId)]);
  await test.database.pool.query(
    `UPDATE usage_batch SET created_at = now() - interval '2 minutes' WHERE id = $1`,
    [batch.id],
  );
  await createUsageOutbox(test.database).keepOpen({
    replica: 'gone',
    records: [aUsageRecord(accountId)],
  });
  await test.database.pool.query(
    `UPDATE usage_lease SET renewed_at = now() - interval '5 minutes'`,
  );
  const unfinished = await withPlace(test.database, await stories.queued());
  const overdue = await stories.queued();
  await test.database.pool.query(
    `UPDATE task SET expires_at = now() - interval '1 minute' WHERE id = $1`,
    [overdue.id],
  );
  return { unfinished: unfinished.id, overdue: overdue.id };
}

/** One sweep of every reconciler, and what is still wrong after it. */
async function afterSweep(
  database: Database,
): Promise<{ broken: string[]; unfinished: string[]; overdue: string[] }> {
  const [holds, metering, recovery, work] = [
    createHolds(database),
    createMetering(database),
    createUsageRecovery(database),
    createWork(database),
  ];
  const settle = async (taskId: string): Promise<void> => {
    await holds.settle(taskId);
  };
  await createReconcileMoney({
    findUnsettled: holds.findUnsettled,
    settle,
    releaseOrphans: () => holds.releaseOrphans(60),
    onOrphan: () => undefined,
  })();
  const recoverUsage = createRecoverUsage({
    newBatchId: () => newId('usageBatch'),
    recover: (options) => recovery.recover({ ...options, leaseSeconds: 60 }),
    purge: () => recovery.purge(60),
    onRecovered: () => undefined,
  });
  await createReconcileUsage({
    recoverUsage,
    findUnapplied: metering.findUnapplied,
    applyUsage: async (batchId) => {
      await metering.apply(batchId);
    },
    takeBackLeases: () => Promise.resolve(),
  })();
  const broken = (await createLedger(test.database).verify({ graceSeconds: 60 })).map(
    ({ invariant }) => invariant,
  );
  return {
    broken: broken.sort(),
    unfinished: (await work.unfinishedTasks('', 10)).map(({ id }) => id),
    overdue: await work.overdueInQueue(10),
  };
}

const sweeps: readonly (readonly [what: string, guard: Guard, broken: readonly string[]])[] = [
  [
    'finished tasks',
    {
      statement: 'SELECT h.task_id FROM hold h JOIN task t',
      text: 'WHERE',
      instead: 'WHERE false AND',
    },
    ['terminal_task_has_closed_hold'],
  ],
  [
    'orphaned holds',
    {
      statement: 'FOR UPDATE OF h SKIP LOCKED',
      text: `WHERE h.state = 'open'`,
      instead: 'WHERE false',
    },
    ['hold_without_task'],
  ],
  [
    'text usage',
    {
      statement: 'SELECT id FROM usage_batch',
      text: 'FROM usage_batch',
      instead: 'FROM usage_batch WHERE false',
    },
    ['usage_is_taken_from_the_outbox'],
  ],
  [
    'usage that was left open',
    { statement: 'recover-usage', text: 'WHERE NOT EXISTS', instead: 'WHERE false AND NOT EXISTS' },
    ['open_usage_has_its_replica'],
  ],
];

describe('what lost wake-ups leave behind', () => {
  it('is repaired by one sweep', async () => {
    const { unfinished, overdue } = await leftovers();

    expect(await afterSweep(test.database)).toEqual({
      broken: [],
      unfinished: [unfinished],
      overdue: [overdue],
    });
    await expect(
      test.database.pool.query('SELECT 1 FROM usage_open UNION ALL SELECT 1 FROM usage_lease'),
    ).resolves.toMatchObject({ rowCount: 0 });
  });

  it.each(sweeps)(
    'stays, and is named, without the reconciler of %s: found within 1 sweep',
    async (_what, guard, broken) => {
      await leftovers();
      const unguarded: Unguarded = withoutGuard(test.database, [guard]);

      expect((await afterSweep(unguarded.database)).broken).toEqual(broken);
      expect(unguarded.removed()).toBeGreaterThan(0);
    },
  );

  it('stays without the reconciler of tasks: nobody has a job for them', async () => {
    await leftovers();
    const { database } = withoutGuard(test.database, [
      { statement: `FROM task WHERE step <> 'done'`, text: `step <> 'done'`, instead: 'false' },
      { statement: 'AND expires_at <= now()', text: 'expires_at <= now()', instead: 'false' },
    ]);

    expect(await afterSweep(database)).toMatchObject({ unfinished: [], overdue: [] });
  });
});
