/** The part of the auditor that looks at one task and its hold. */

/** The state machine once more, written down from the interface document. */
const legal: Readonly<Record<string, readonly string[]>> = {
  queued: ['running', 'failed', 'expired', 'cancelled'],
  running: ['succeeded', 'failed', 'expired', 'cancelled'],
};
const isOver = (status: string | undefined): boolean =>
  status !== undefined && legal[status] === undefined;

export interface TaskModel {
  readonly id: string;
  readonly account: string;
  readonly quota: number;
  hold: 'none' | 'open' | 'closed';
  charged: number;
  /** Undefined while there is no task. */
  status: string | undefined;
  epoch: number;
  billed: number | undefined;
  /** Its turn at the vendor has come. */
  admitted: boolean;
}

/** What was done and what came of it; `lost`: at some try the response never came. */
export type Outcome = { readonly lost: boolean } & (
  | { readonly kind: 'take'; readonly task: TaskModel; readonly response: string }
  | { readonly kind: 'create'; readonly task: TaskModel; readonly created: boolean }
  | { readonly kind: 'admit'; readonly admitted: readonly string[] }
  | {
      readonly kind: 'move';
      readonly task: TaskModel;
      readonly target: string | undefined;
      readonly billed: number;
      readonly from: { readonly status: string; readonly epoch: number };
      readonly won: { readonly status: string; readonly epoch: number } | undefined;
    }
  | { readonly kind: 'settle'; readonly task: TaskModel; readonly closed: boolean }
  | { readonly kind: 'release'; readonly released: readonly string[] }
  | { readonly kind: 'top-up'; readonly account: string; readonly quota: number }
  | {
      readonly kind: 'usage';
      readonly account: string;
      readonly costs: ReadonlyMap<string, bigint>;
    }
);

export interface Facts {
  readonly holds: ReadonlyMap<
    string,
    { readonly state: 'open' | 'closed'; readonly charged: number }
  >;
  readonly tasks: ReadonlyMap<
    string,
    {
      readonly status: string;
      readonly epoch: number;
      readonly billed: number | undefined;
      readonly admitted: boolean;
      readonly atVendor: boolean;
    }
  >;
  readonly accounts: ReadonlyMap<
    string,
    {
      readonly balance: number;
      readonly held: number;
      readonly remainderNano: bigint;
      readonly textCharged: number;
      readonly uncollected: number;
      readonly debt: number;
      readonly debtPaid: number;
    }
  >;
}

export class Fault extends Error {
  override readonly name = 'Fault';
}

export const must = (right: boolean, what: string): void => {
  if (!right) throw new Fault(what);
};
export const of = <Kind extends Outcome['kind']>(kind: Kind, outcomes: readonly Outcome[]) =>
  outcomes.filter((outcome): outcome is Extract<Outcome, { kind: Kind }> => outcome.kind === kind);

type Move = Extract<Outcome, { kind: 'move' }>;

/** Brings the model of a task to what its row says, when the results allow it. */
export function auditTask(task: TaskModel, outcomes: readonly Outcome[], facts: Facts): void {
  const fact = facts.tasks.get(task.id);
  auditCreation(task, of('create', outcomes), fact !== undefined);
  if (fact === undefined) return;
  if (task.status === undefined) Object.assign(task, { status: 'queued', epoch: 1 });
  auditAdmission(task, of('admit', outcomes), fact.admitted);
  const moves = of('move', outcomes);
  const wins = moves
    .filter(({ won }) => won !== undefined)
    .sort((a, b) => a.won!.epoch - b.won!.epoch);
  auditWins(task, wins);
  const lost = moves.filter((move) => move.lost && move.won === undefined);
  const steps = fact.epoch - task.epoch;
  must(
    steps >= wins.length && steps <= wins.length + lost.length,
    `${task.id}: ${steps} steps, ${wins.length} of them won and ${lost.length} unknown`,
  );
  if (steps === 0) {
    must(
      fact.status === task.status && fact.billed === task.billed,
      `${task.id}: is ${fact.status}, which nobody made it`,
    );
  } else auditLastMove(task, fact, { last: wins.at(-1), lost });
  Object.assign(task, { status: fact.status, epoch: fact.epoch, billed: fact.billed });
}

function auditCreation(
  task: TaskModel,
  creates: readonly Extract<Outcome, { kind: 'create' }>[],
  exists: boolean,
): void {
  const created = creates.filter((outcome) => outcome.created).length;
  must(created <= (task.status === undefined ? 1 : 0), `${task.id}: created more than once`);
  const told = task.status !== undefined || created === 1;
  must(
    exists === told || (exists && creates.some(({ lost }) => lost)),
    `${task.id}: there ${exists ? 'is a' : 'is no'} task, against what was returned`,
  );
}

/** Its slot comes to a task once, before anything else is done to it. */
function auditAdmission(
  task: TaskModel,
  admissions: readonly Extract<Outcome, { kind: 'admit' }>[],
  has: boolean,
): void {
  const given = admissions.filter(({ admitted }) => admitted.includes(task.id)).length;
  must(given <= (task.admitted ? 0 : 1), `${task.id}: given a slot ${given} times`);
  must(
    has === (task.admitted || given === 1) || (has && admissions.some(({ lost }) => lost)),
    `${task.id}: ${has ? 'has a' : 'has no'} slot, against what was returned`,
  );
  if (!has || task.admitted) return;
  must(
    task.epoch === 1,
    `${task.id}: given a slot at ${task.epoch}, as ${task.status ?? 'nothing'}`,
  );
  Object.assign(task, { admitted: true, epoch: 2 });
}

function auditWins(task: TaskModel, wins: readonly Move[]): void {
  for (const { from, won, target } of wins) {
    must(
      won!.epoch === from.epoch + 1,
      `${task.id}: a write with epoch ${from.epoch} came through at ${won!.epoch}`,
    );
    must(
      won!.status === (target ?? from.status) &&
        (target === undefined || (legal[from.status] ?? []).includes(target)),
      `${task.id}: went from ${from.status} to ${won!.status}`,
    );
  }
  must(
    new Set(wins.map(({ won }) => won!.epoch)).size === wins.length,
    `${task.id}: two writers won the same epoch`,
  );
}

/** The newest status is of the last win, or of a move whose response was lost after it. */
function auditLastMove(
  task: TaskModel,
  fact: { readonly status: string; readonly epoch: number; readonly billed: number | undefined },
  { last, lost }: { last: Move | undefined; lost: readonly Move[] },
): void {
  const candidates = last?.won?.epoch === fact.epoch ? [last] : lost;
  const makers = candidates.filter(({ from, target }) => (target ?? from.status) === fact.status);
  must(makers.length > 0, `${task.id}: is ${fact.status} at ${fact.epoch}, which nobody made it`);
  const billedBy = ({ billed }: Move): number | undefined =>
    isOver(fact.status) ? (fact.status === 'succeeded' ? billed : 0) : undefined;
  must(
    makers.some((maker) => billedBy(maker) === fact.billed),
    `${task.id}: ${fact.status} and billed ${fact.billed ?? 'nothing'}`,
  );
}

/**
 * Brings the model of a hold to what its row says, when the results allow it; the task comes first.
 */
export function auditHold(task: TaskModel, outcomes: readonly Outcome[], facts: Facts): void {
  const fact = facts.holds.get(task.id);
  auditTakes(task, of('take', outcomes), fact !== undefined);
  if (fact === undefined) return;
  auditClosing(
    task,
    [
      ...of('settle', outcomes).map(({ closed, lost }) => ({ closed, lost })),
      ...of('release', outcomes).map(({ released, lost }) => ({
        closed: released.includes(task.id),
        lost,
      })),
    ],
    fact.state,
  );
  if (fact.state === 'closed') {
    must(
      isOver(task.status) || task.status === undefined,
      `${task.id}: is ${task.status ?? 'nowhere'} and its hold is closed`,
    );
    must(
      fact.charged === (task.billed ?? 0),
      `${task.id}: charged ${fact.charged}, billed ${task.billed ?? 'nothing'}`,
    );
  }
  Object.assign(task, { hold: fact.state, charged: fact.charged });
}

function auditTakes(
  task: TaskModel,
  takes: readonly Extract<Outcome, { kind: 'take' }>[],
  exists: boolean,
): void {
  const won = takes.some(({ response }) => response === 'held');
  // Two that ask for one task at once may share the response; the quota is counted once.
  must(!won || task.hold === 'none', `${task.id}: held once more`);
  must(
    exists === (task.hold !== 'none' || won) || (exists && takes.some(({ lost }) => lost)),
    `${task.id}: there ${exists ? 'is a' : 'is no'} hold, against what was returned`,
  );
}

function auditClosing(
  task: TaskModel,
  closings: readonly { readonly closed: boolean; readonly lost: boolean }[],
  state: 'open' | 'closed',
): void {
  const closed = closings.filter((closing) => closing.closed).length;
  must(closed <= (task.hold === 'closed' ? 0 : 1), `${task.id}: closed ${closed} times`);
  const told = task.hold === 'closed' || closed === 1;
  must(
    (state === 'closed') === told || (state === 'closed' && closings.some(({ lost }) => lost)),
    `${task.id}: its hold is ${state}, against what was returned`,
  );
}
