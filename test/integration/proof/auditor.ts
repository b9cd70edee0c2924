/**
 * Calculates what the books must say, from what was asked and answered alone: it shares no code and no statement with the
 * gateway. Everything between two audits ran at once; an answer that was lost with its connection leaves several outcomes
 * open, and then the rows decide which of those it was, and never another one.
 */

/** The state machine once more, written down from the interface document. */
const legal: Readonly<Record<string, readonly string[]>> = {
  queued: ['running', 'failed', 'expired', 'cancelled'],
  running: ['succeeded', 'failed', 'expired', 'cancelled'],
};
const unit = 1_000_000_000n;

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
}

export interface AccountModel {
  balance: number;
  held: number;
  remainderNano: bigint;
  textCharged: number;
  uncollected: number;
}

/** What was done and what came of it; `lost`: at some try the answer never came. */
export type Outcome = { readonly lost: boolean } & (
  | { readonly kind: 'take'; readonly task: TaskModel; readonly answer: string }
  | { readonly kind: 'create'; readonly task: TaskModel; readonly created: boolean }
  | { readonly kind: 'move'; readonly task: TaskModel; readonly target: string | undefined; readonly billed: number; readonly from: { readonly status: string; readonly epoch: number }; readonly won: { readonly status: string; readonly epoch: number } | undefined }
  | { readonly kind: 'settle'; readonly task: TaskModel; readonly closed: boolean }
  | { readonly kind: 'release'; readonly released: readonly string[] }
  | { readonly kind: 'top-up'; readonly account: string; readonly quota: number }
  | { readonly kind: 'usage'; readonly account: string; readonly costs: ReadonlyMap<string, bigint> });

export interface Facts {
  readonly holds: ReadonlyMap<string, { readonly state: 'open' | 'closed'; readonly charged: number }>;
  readonly tasks: ReadonlyMap<string, { readonly status: string; readonly epoch: number; readonly billed: number | undefined }>;
  readonly accounts: ReadonlyMap<string, { readonly balance: number; readonly held: number; readonly remainderNano: bigint; readonly textCharged: number; readonly uncollected: number }>;
}

export class Fault extends Error {
  override readonly name = 'Fault';
}

const must = (right: boolean, what: string): void => { if (!right) throw new Fault(what); };
const of = <Kind extends Outcome['kind']>(kind: Kind, outcomes: readonly Outcome[]) => outcomes.filter((outcome): outcome is Extract<Outcome, { kind: Kind }> => outcome.kind === kind);

export function createAuditor(accountIds: readonly string[], quota: number) {
  const accounts = new Map<string, AccountModel>(accountIds.map((id) => [id, { balance: quota, held: 0, remainderNano: 0n, textCharged: 0, uncollected: 0 }]));
  const tasks: TaskModel[] = [];
  const seenRecords = new Set<string>();

  return { accounts, tasks, audit };

  /** Compares everything that happened since the last audit with the rows there are now, when nothing is under way. */
  function audit(outcomes: readonly Outcome[], facts: Facts): void {
    for (const id of accountIds) auditAccount(id, outcomes.filter((outcome) => !('task' in outcome) || outcome.task.account === id), facts);
  }

  function auditAccount(id: string, outcomes: readonly Outcome[], facts: Facts): void {
    const account = accounts.get(id)!;
    const before = { ...account };
    let [taken, given] = [0, 0];
    for (const task of tasks.filter((one) => one.account === id)) {
      const own = outcomes.filter((outcome) => 'task' in outcome ? outcome.task === task : outcome.kind === 'release');
      const was = task.hold;
      auditTask(task, own, facts);
      auditHold(task, own, facts);
      if (was === 'none' && task.hold !== 'none') { account.held += task.quota; taken += task.quota; }
      if (was !== 'closed' && task.hold === 'closed') { account.held -= task.quota; account.balance -= task.charged; given += task.quota - task.charged; }
    }
    const added = of('top-up', outcomes).filter((outcome) => outcome.account === id).reduce((sum, outcome) => sum + outcome.quota, 0);
    account.balance += added;
    const text = auditText(id, of('usage', outcomes).filter((outcome) => outcome.account === id), facts);
    account.balance -= text;

    const available = before.balance - before.held;
    must(taken + text <= available + added + given, `${id}: ${taken} was held and ${text} charged for text of ${available + added + given}`);
    const least = available - taken - text;
    for (const { task, answer } of of('take', outcomes)) {
      must(answer !== 'insufficient' || task.quota > least, `${task.id}: refused ${task.quota}, and never less than ${least} was there`);
    }
    const fact = facts.accounts.get(id)!;
    must(account.balance === fact.balance && account.held === fact.held, `${id}: balance ${fact.balance} and held ${fact.held}, must be ${account.balance} and ${account.held}`);
    must(fact.held >= 0 && fact.balance >= fact.held, `${id}: overdrawn, balance ${fact.balance}, held ${fact.held}`);
    must(text >= Math.min(wholeOf(before, account), available - taken), `${id}: ${text} charged for text, at least ${available - taken} was there`);
  }

  /** Whole units of text that came due between the two. */
  function wholeOf(before: AccountModel, after: AccountModel): number {
    return after.textCharged - before.textCharged + after.uncollected - before.uncollected;
  }

  /** Answers what was charged. */
  function auditText(id: string, usage: readonly Extract<Outcome, { kind: 'usage' }>[], facts: Facts): number {
    const account = accounts.get(id)!;
    const fact = facts.accounts.get(id)!;
    let owed = account.remainderNano;
    for (const [record, cost] of usage.flatMap(({ costs }) => [...costs])) {
      if (seenRecords.has(record)) continue;
      seenRecords.add(record);
      owed += cost;
    }
    const due = Number(owed / unit);
    const charged = fact.textCharged - account.textCharged;
    const missing = fact.uncollected - account.uncollected;
    must(charged >= 0 && missing >= 0 && charged + missing === due, `${id}: ${due} came due for text, ${charged} was charged and ${missing} noted as missing`);
    must(fact.remainderNano === owed % unit, `${id}: ${fact.remainderNano} nano are owed, must be ${owed % unit}`);
    Object.assign(account, { remainderNano: owed % unit, textCharged: fact.textCharged, uncollected: fact.uncollected });
    return charged;
  }

  function auditTask(task: TaskModel, outcomes: readonly Outcome[], facts: Facts): void {
    const fact = facts.tasks.get(task.id);
    const creates = of('create', outcomes);
    const created = creates.filter((outcome) => outcome.created).length;
    must(created <= (task.status === undefined ? 1 : 0), `${task.id}: created more than once`);
    must((fact !== undefined) === (task.status !== undefined || created === 1) || (fact !== undefined && creates.some(({ lost }) => lost)), `${task.id}: there ${fact === undefined ? 'is no' : 'is a'} task, against what was answered`);
    if (fact === undefined) return;
    if (task.status === undefined) Object.assign(task, { status: 'queued', epoch: 1 });
    const moves = of('move', outcomes);
    const wins = moves.filter(({ won }) => won !== undefined).sort((a, b) => a.won!.epoch - b.won!.epoch);
    for (const { from, won, target } of wins) {
      must(won!.epoch === from.epoch + 1, `${task.id}: a write with epoch ${from.epoch} came through at ${won!.epoch}`);
      must(won!.status === (target ?? from.status) && (target === undefined || (legal[from.status] ?? []).includes(target)), `${task.id}: went from ${from.status} to ${won!.status}`);
    }
    must(new Set(wins.map(({ won }) => won!.epoch)).size === wins.length, `${task.id}: two writers won the same epoch`);
    const lost = moves.filter((move) => move.lost && move.won === undefined);
    const steps = fact.epoch - task.epoch;
    must(steps >= wins.length && steps <= wins.length + lost.length, `${task.id}: ${steps} steps, ${wins.length} of them won and ${lost.length} unknown`);
    const [last] = wins.slice(-1);
    const explained = [...(last === undefined || last.won!.epoch < fact.epoch ? lost : []), ...(last?.won!.epoch === fact.epoch ? [last] : [])].filter(({ from, target }) => (target ?? from.status) === fact.status);
    must(steps === 0 ? fact.status === task.status : explained.length > 0, `${task.id}: is ${fact.status} at ${fact.epoch}, which nobody made it`);
    const over = legal[fact.status] === undefined;
    if (steps > 0 && over) must(explained.some(({ billed }) => (fact.status === 'succeeded' ? billed : 0) === fact.billed), `${task.id}: ${fact.status} and billed ${fact.billed ?? 'nothing'}`);
    Object.assign(task, { status: fact.status, epoch: fact.epoch, billed: over ? fact.billed : undefined });
  }

  function auditHold(task: TaskModel, outcomes: readonly Outcome[], facts: Facts): void {
    const fact = facts.holds.get(task.id);
    const takes = of('take', outcomes);
    const won = takes.filter(({ answer }) => answer === 'held').length;
    // Two that ask for one task at once may share the answer; the quota is counted once.
    must(won === 0 || task.hold === 'none', `${task.id}: held once more`);
    must((fact !== undefined) === (task.hold !== 'none' || won > 0) || (fact !== undefined && takes.some(({ lost }) => lost)), `${task.id}: there ${fact === undefined ? 'is no' : 'is a'} hold, against what was answered`);
    if (fact === undefined) return;
    const settles = of('settle', outcomes);
    const releases = of('release', outcomes);
    const closed = settles.filter((outcome) => outcome.closed).length + releases.filter(({ released }) => released.includes(task.id)).length;
    must(closed <= (task.hold === 'closed' ? 0 : 1), `${task.id}: closed ${closed} times`);
    const unknown = [...settles, ...releases].some(({ lost }) => lost);
    must((fact.state === 'closed') === (task.hold === 'closed' || closed === 1) || (fact.state === 'closed' && unknown), `${task.id}: its hold is ${fact.state}, against what was answered`);
    const over = task.status !== undefined && legal[task.status] === undefined;
    must(fact.state === 'open' || over || task.status === undefined, `${task.id}: is ${task.status ?? 'nowhere'} and its hold is closed`);
    if (fact.state === 'closed') must(fact.charged === (over ? task.billed : 0), `${task.id}: charged ${fact.charged}, billed ${task.billed ?? 'nothing'}`);
    Object.assign(task, { hold: fact.state, charged: fact.charged });
  }
}

export type Auditor = ReturnType<typeof createAuditor>;
