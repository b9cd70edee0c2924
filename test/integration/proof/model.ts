import fc from 'fast-check';
import type { Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { createLedger, type Database } from '@gateway/store';
import { anAccount } from '@gateway/testing';
import { Fault, type Outcome, type TaskModel } from './audit-task.ts';
import { createAuditor, debtOf, type Auditor } from './auditor.ts';
import {
  createReplica,
  factsOf,
  secondQuota,
  type VendorQueue,
  type MoveName,
  type Replica,
  type Usage,
} from './system.ts';

/**
 * What the commands of one run share. They do not wait for what they start: everything between two
 * audits is under way at once.
 */
interface Run {
  readonly auditor: Auditor;
  readonly accountIds: readonly string[];
  readonly queue: VendorQueue;
  readonly replicas: readonly Replica[];
  /** The test's own connections, which nobody kills. */
  readonly plain: Database;
  readonly started: Promise<Outcome>[];
  /** Every copy of a task that somebody ever read: writers may hold old ones. */
  readonly seen: Map<TaskModel, Task[]>;
  readonly usages: (Usage & { readonly account: string })[];
  turn: number;
  killed: number;
}

/** What the runs did, so that a test can show that they did it. */
export interface Tally {
  runs: number;
  started: number;
  lost: number;
  killed: number;
  outcomes: Map<string, number>;
}

interface Step {
  readonly name: string;
  can(run: Run): boolean;
  start(run: Run): Promise<void> | void;
}

const at = <Item>(items: readonly Item[], index: number): Item => items[index % items.length]!;
const launch = (run: Run, work: (replica: Replica) => Promise<Outcome>): void => {
  run.turn += 1;
  const started = work(at(run.replicas, run.turn));
  // Looked at by the next audit.
  started.catch(() => undefined);
  run.started.push(started);
};
const remember = (run: Run, task: TaskModel, copy: Task | undefined): void => {
  if (copy !== undefined) run.seen.set(task, [...(run.seen.get(task) ?? []), copy]);
};
const always = (): boolean => true;
const hasTasks = ({ auditor }: Run): boolean => auditor.tasks.length > 0;

const index = fc.nat({ max: 999 });
const moveNames = [
  'claim',
  'accepted',
  'stored',
  'failed',
  'expired',
  'cancelled',
] as const satisfies readonly MoveName[];

const hold = fc.tuple(index, fc.integer({ min: 1, max: 12 })).map(([which, seconds]): Step => ({
  name: `hold ${seconds} s on account ${which % 3}`,
  can: always,
  start(run) {
    const task: TaskModel = {
      id: newId('task'),
      account: at(run.accountIds, which),
      quota: seconds * secondQuota,
      hold: 'none',
      charged: 0,
      status: undefined,
      epoch: 0,
      billed: undefined,
      admitted: false,
    };
    run.auditor.tasks.push(task);
    launch(run, (replica) => replica.take(task));
  },
}));

const onTask = (
  name: string,
  work: (run: Run, task: TaskModel, replica: Replica) => Promise<Outcome>,
) =>
  index.map((which): Step => ({
    name: `${name} ${which}`,
    can: hasTasks,
    start(run) {
      const task = at(run.auditor.tasks, which);
      launch(run, (replica) => work(run, task, replica));
    },
  }));

const holdAgain = onTask('hold again', (_run, task, replica) => replica.take(task));
const settle = onTask('settle', (_run, task, replica) => replica.settle(task));
const create = onTask('create', async (run, task, replica) => {
  const { outcome, task: copy } = await replica.create(task, run.queue);
  remember(run, task, copy);
  return outcome;
});

const admit = fc.constant<Step>({
  name: 'give slots',
  can: hasTasks,
  start(run) {
    launch(run, async (replica) => {
      const { outcome, tasks } = await replica.admit(run.queue);
      for (const copy of tasks) {
        remember(
          run,
          run.auditor.tasks.find(({ id }) => id === copy.id)!,
          copy,
        );
      }
      return outcome;
    });
  },
});

/** What a worker would do next with this copy. */
const nextOf = ({ status, step }: Task): MoveName =>
  status === 'running' ? 'stored' : step === 'submit' ? 'claim' : 'accepted';

const move = fc
  .tuple(
    index,
    fc.constantFrom(...moveNames, ...Array.from({ length: 8 }, () => 'next' as const)),
    index,
  )
  .map(([which, name, age]): Step => ({
    name: `${name} task ${which}, copy ${age}`,
    can: (run) => run.seen.size > 0,
    start(run) {
      const [task, copies] = at([...run.seen], which);
      // Mostly the newest copy; now and then one that is long out of date.
      const seen = age % 3 === 0 ? at(copies, age) : copies.at(-1)!;
      launch(run, async (replica) => {
        const { outcome, task: copy } = await replica.move(
          task,
          name === 'next' ? nextOf(seen) : name,
          seen,
        );
        remember(run, task, copy);
        return outcome;
      });
    },
  }));

const release = fc.constant<Step>({
  name: 'release orphans',
  can: always,
  start(run) {
    launch(run, (replica) => replica.release());
  },
});
const topUp = fc.tuple(index, fc.integer({ min: 1, max: 90 })).map(([which, quota]): Step => ({
  name: `top up account ${which % 3} by ${quota}`,
  can: always,
  start(run) {
    launch(run, (replica) => replica.topUp(at(run.accountIds, which), quota));
  },
}));
/** Costs with a part of a unit; every third batch brings a record that came before. */
const usage = fc
  .tuple(index, fc.bigInt({ min: 0n, max: 40_000_000_000n }))
  .map(([which, cost]): Step => ({
    name: `text for ${cost} on account ${which % 3}`,
    can: always,
    start(run) {
      const repeated = which % 3 === 0 ? run.usages.at(-1) : undefined;
      const next =
        repeated === undefined
          ? {
              account: at(run.accountIds, which),
              record: newId('usage'),
              cost,
              batch: newId('usageBatch'),
            }
          : { ...repeated, batch: newId('usageBatch') };
      run.usages.push(next);
      launch(run, (replica) => replica.usage(next.account, next));
    },
  }));

const kill = fc.integer({ min: 1, max: 4 }).map((count): Step => ({
  name: `kill ${count} connections`,
  can: ({ started }) => started.length > 0,
  async start(run) {
    const { rowCount } = await run.plain.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'test replica' ORDER BY random() LIMIT $1`,
      [count],
    );
    run.killed += rowCount ?? 0;
  },
}));

async function audit(run: Run, tally: Tally): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const result of await Promise.allSettled(run.started.splice(0))) {
    if (result.status === 'rejected') {
      throw new Fault(`an operation failed: ${String(result.reason)}`);
    }
    outcomes.push(result.value);
  }
  tally.started += outcomes.length;
  tally.lost += outcomes.filter(({ lost }) => lost).length;
  for (const outcome of outcomes) {
    const word =
      'response' in outcome
        ? outcome.response
        : outcome.kind === 'move' && outcome.won !== undefined
          ? outcome.won.status
          : outcome.kind;
    tally.outcomes.set(word, (tally.outcomes.get(word) ?? 0) + 1);
  }
  run.auditor.audit(outcomes, await factsOf(run.plain, run.accountIds));
}

type Command = fc.AsyncCommand<object, Run, true>;

const commandOf = ({ can, start, name }: Step): Command => ({
  // What there is to act on is known only while it runs.
  check: () => Promise.resolve(true),
  async run(_model, run) {
    if (can(run)) await start(run);
  },
  toString: () => name,
});

async function collectDebts(run: Run, tally: Tally): Promise<void> {
  await createLedger(run.plain).collectDebts();
  await audit(run, tally);
  for (const [id, account] of run.auditor.accounts) {
    if (debtOf(account) > 0 && account.balance > account.held) {
      throw new Fault(`${id}: owes ${debtOf(account)} and could pay`);
    }
  }
}

/** What is still due is done, nobody disturbs it, and nothing may be left. */
async function finish(run: Run, tally: Tally): Promise<void> {
  await audit(run, tally);
  for (const task of run.auditor.tasks.filter(
    ({ hold: state, status }) => state === 'open' && status !== undefined,
  )) {
    launch(run, (replica) => replica.settle(task));
  }
  launch(run, (replica) => replica.release());
  await audit(run, tally);
  await collectDebts(run, tally);
  for (const { id, hold: state, status } of run.auditor.tasks) {
    if (state === 'open' && !['queued', 'running'].includes(status ?? '')) {
      throw new Fault(`${id}: is ${status ?? 'nowhere'} and its hold stayed open`);
    }
  }
  const violations = await createLedger(run.plain).verify({ graceSeconds: 0 });
  if (violations.length > 0) {
    throw new Fault(`the books are wrong: ${JSON.stringify(violations.slice(0, 5))}`);
  }
}

export interface Proof {
  readonly seed: number;
  readonly runs: number;
  readonly plain: Database;
  readonly replicas: readonly Database[];
  /** At the vendor of a run: fewer than there are tasks. */
  readonly slots?: number;
}

/**
 * Runs random histories until one is found in which the books are not what the auditor says;
 * returns that fault, if any.
 */
export async function searchFault({ seed, runs, plain, replicas, slots = 6 }: Proof): Promise<{
  readonly fault: string | undefined;
  readonly run: number;
  readonly tally: Tally;
}> {
  const tally: Tally = { runs: 0, started: 0, lost: 0, killed: 0, outcomes: new Map() };
  const check = fc.constant<Command>({
    check: () => Promise.resolve(true),
    run: (_model, run) => audit(run, tally),
    toString: () => 'audit',
  });
  const steps = [
    hold,
    hold,
    hold,
    holdAgain,
    create,
    create,
    create,
    admit,
    admit,
    move,
    move,
    move,
    move,
    move,
    move,
    move,
    move,
    settle,
    settle,
    settle,
    release,
    topUp,
    usage,
    kill,
  ].map((arbitrary) => arbitrary.map(commandOf));
  const history = fc.commands<object, Run, true>([...steps, check, check], {
    maxCommands: 300,
    size: 'max',
  });
  const details = await fc.check(
    fc.asyncProperty(history, async (commands) => {
      const accountIds = (
        await Promise.all([0, 1, 2].map(() => anAccount(plain, { quota: 300 })))
      ).map(({ id }) => id);
      const run: Run = {
        auditor: createAuditor(accountIds, { quota: 300, slots }),
        accountIds,
        queue: { provider: newId('attempt'), slots },
        replicas: replicas.map(createReplica),
        plain,
        started: [],
        seen: new Map(),
        usages: [],
        turn: 0,
        killed: 0,
      };
      try {
        await fc.asyncModelRun(() => ({ model: {}, real: run }), commands);
        await finish(run, tally);
      } finally {
        await Promise.allSettled(run.started);
        tally.runs += 1;
        tally.killed += run.killed;
      }
    }),
    { seed, numRuns: runs, endOnFailure: true },
  );
  return {
    fault: details.failed
      ? String(details.errorInstance) +
        `\nseed ${details.seed}, history: ${[...(details.counterexample?.[0] ?? [])].join(', ')}`
      : undefined,
    run: details.numRuns,
    tally,
  };
}
