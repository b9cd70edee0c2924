import {
  auditHold,
  auditTask,
  must,
  of,
  type Facts,
  type Outcome,
  type TaskModel,
} from './audit-task.ts';

/*
 * Calculates what the books must say, from what was requested and returned alone: it shares no code and
 * no statement with the gateway. Everything between two audits ran at once; a response that was lost
 * with its connection leaves several outcomes open, and then the rows decide which of those it was,
 * and never another one.
 */

const unit = 1_000_000_000n;

export interface AccountModel {
  balance: number;
  held: number;
  remainderNano: bigint;
  textCharged: number;
  /** What text cost beyond what there was, ever. */
  uncollected: number;
  /** What of that was paid since. */
  debtPaid: number;
}

export const debtOf = ({ uncollected, debtPaid }: AccountModel): number => uncollected - debtPaid;

export function createAuditor(
  accountIds: readonly string[],
  { quota, slots }: { quota: number; slots: number },
) {
  const accounts = new Map<string, AccountModel>(
    accountIds.map((id) => [
      id,
      { balance: quota, held: 0, remainderNano: 0n, textCharged: 0, uncollected: 0, debtPaid: 0 },
    ]),
  );
  const tasks: TaskModel[] = [];
  const seenRecords = new Set<string>();

  return { accounts, tasks, audit };

  /**
   * Compares everything that happened since the last audit with the rows there are now, when
   * nothing is under way.
   */
  function audit(outcomes: readonly Outcome[], facts: Facts): void {
    const taken = [...facts.tasks.values()].filter(({ atVendor }) => atVendor).length;
    must(taken <= slots, `${taken} tasks were given ${slots} slots`);
    for (const id of accountIds) {
      auditAccount(
        id,
        outcomes.filter((outcome) => !('task' in outcome) || outcome.task.account === id),
        facts,
      );
    }
  }

  function auditAccount(id: string, outcomes: readonly Outcome[], facts: Facts): void {
    const account = accounts.get(id)!;
    const before = { ...account };
    let [taken, given] = [0, 0];
    for (const task of tasks.filter((one) => one.account === id)) {
      const own = outcomes.filter((outcome) =>
        'task' in outcome
          ? outcome.task === task
          : outcome.kind === 'release' || outcome.kind === 'admit',
      );
      const was = task.hold;
      auditTask(task, own, facts);
      auditHold(task, own, facts);
      if (was === 'none' && task.hold !== 'none') {
        account.held += task.quota;
        taken += task.quota;
      }
      if (was !== 'closed' && task.hold === 'closed') {
        account.held -= task.quota;
        account.balance -= task.charged;
        given += task.quota - task.charged;
      }
    }
    const added = of('top-up', outcomes)
      .filter((outcome) => outcome.account === id)
      .reduce((sum, outcome) => sum + outcome.quota, 0);
    account.balance += added;
    const text = auditText(
      id,
      of('usage', outcomes).filter((outcome) => outcome.account === id),
      facts,
    );
    const paid = auditDebt(id, facts);
    account.balance -= text + paid;

    const available = before.balance - before.held;
    // While something is owed, nothing else may take what comes in.
    const owed = debtOf(before) > 0 || account.uncollected > before.uncollected;
    must(
      taken + text + paid <= available + added + given,
      `${id}: ${taken} was held, ${text} charged for text and ${paid} paid of debts, of ${available + added + given}`,
    );
    const least = owed ? 0 : available - taken - text - paid;
    mustRefuseRightly(outcomes, least);
    mustBeAsBooked(id, facts);
    must(
      owed || text >= Math.min(wholeOf(before, account), available - taken),
      `${id}: ${text} charged for text, at least ${available - taken} was there`,
    );
  }

  /** Only what could not be paid for is refused. */
  function mustRefuseRightly(outcomes: readonly Outcome[], least: number): void {
    for (const { task, response } of of('take', outcomes)) {
      must(
        response !== 'insufficient' || task.quota > least,
        `${task.id}: refused ${task.quota}, and never less than ${least} was there`,
      );
    }
  }

  function mustBeAsBooked(id: string, facts: Facts): void {
    const account = accounts.get(id)!;
    const fact = facts.accounts.get(id)!;
    must(
      account.balance === fact.balance && account.held === fact.held,
      `${id}: balance ${fact.balance} and held ${fact.held}, must be ${account.balance} and ${account.held}`,
    );
    must(
      fact.held >= 0 && fact.balance >= fact.held,
      `${id}: overdrawn, balance ${fact.balance}, held ${fact.held}`,
    );
  }

  /** Returns what was paid of what text had cost too much. */
  function auditDebt(id: string, facts: Facts): number {
    const account = accounts.get(id)!;
    const fact = facts.accounts.get(id)!;
    const paid = fact.debtPaid - account.debtPaid;
    must(
      paid >= 0 && paid <= debtOf(account),
      `${id}: ${paid} was paid of a debt of ${debtOf(account)}`,
    );
    account.debtPaid = fact.debtPaid;
    must(
      fact.debt === debtOf(account),
      `${id}: a debt of ${fact.debt} stands there, must be ${debtOf(account)}`,
    );
    return paid;
  }

  /** Whole units of text that came due between the two. */
  function wholeOf(before: AccountModel, after: AccountModel): number {
    return after.textCharged - before.textCharged + after.uncollected - before.uncollected;
  }

  /** Returns what was charged. */
  function auditText(
    id: string,
    usage: readonly Extract<Outcome, { kind: 'usage' }>[],
    facts: Facts,
  ): number {
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
    must(
      charged >= 0 && missing >= 0 && charged + missing === due,
      `${id}: ${due} came due for text, ${charged} was charged and ${missing} noted as missing`,
    );
    must(
      fact.remainderNano === owed % unit,
      `${id}: ${fact.remainderNano} nano are owed, must be ${owed % unit}`,
    );
    Object.assign(account, {
      remainderNano: owed % unit,
      textCharged: fact.textCharged,
      uncollected: fact.uncollected,
    });
    return charged;
  }
}

export type Auditor = ReturnType<typeof createAuditor>;
