import type { Arrival } from '../actors/receiver.ts';
import type { FailOver } from '../actors/surroundings.ts';
import type { Vendor, VendorTask } from '../actors/vendor.ts';

/** One task of ours that a vendor has. */
export interface Creation {
  readonly vendor: Vendor;
  readonly task: VendorTask;
}

/**
 * What nobody can be blamed for, because the commit that would say so is lost. It is excused for what
 * was lost and nothing else, and where `admin audit` can find it, only if that was noted.
 */
export interface LostCommitsExcuse {
  /** The creation of this task. */
  readonly lostTask: (taskId: string) => boolean;
  /** Its deletion: it is back, and its file is not. */
  readonly lostDeletion: (taskId: string) => boolean;
  /** That this status came of it. */
  readonly lostStatus: (taskId: string, status: string) => boolean;
  /** That it was sent there: nothing in the books says that this vendor has it. */
  readonly forgot: (creation: Creation) => boolean;
  /** The same, and it was sent again before anybody could know. */
  readonly mayComeAgain: (creation: Creation) => boolean;
  /** That nobody is billed for it, where the vendor does not show what it has. */
  readonly lostExposure: (creation: Creation) => boolean;
  /** That this was sent to a receiver, and what came of it. */
  readonly lostAttempt: (arrival: Arrival) => boolean;
  /** Another of its task's then: an older push may come again after this one, whose attempt was not recorded yet. */
  readonly lostOrder: (arrival: Arrival) => boolean;
  /** The status of which it told. */
  readonly lostEvent: (arrival: Arrival) => boolean;
}

/** The same for text. */
export interface LostTextExcuse {
  /** The final usage of this request; it may be charged by what was written down while it ran. */
  readonly lostUsage: (usageId: string) => boolean;
  /** The same, and nothing was written down of it. */
  readonly forgotUsage: (usageId: string) => boolean;
  /** That this request ran, until it was written down again: what was kept by then does not count. */
  readonly openLostUntil: (usageId: string) => number;
  readonly lostTopUps: (accountId: string) => number;
  /** What was set aside for a request that ran then. */
  readonly lostReserve: (request: { beganAt: number; endedAt: number | undefined }) => boolean;
}

/** What was on its way to a vendor or a receiver when the primary died arrives within this. */
const onItsWayMs = 20_000;
/** As long as a replica goes by what it last heard of its leases, and a way there and back. */
const leasesHoldMs = 10_000 + 2 * 3_000;
/** Before anybody has tried again what was lost. */
const soonMs = 1_000;
/** As long as one message takes. */
const mostLatencyMs = 3_000;

export function excuseOf(failOvers: readonly FailOver[]): LostCommitsExcuse {
  const some = (holds: (failOver: FailOver) => boolean): boolean => failOvers.some(holds);
  const isOfThen = ({ from, at }: FailOver, when: number): boolean =>
    from <= when && when <= at + onItsWayMs;
  const sentOf = (failOver: FailOver, { vendor, task }: Creation) =>
    isOfThen(failOver, task.createdAt)
      ? failOver.lost.sent.find(
          ({ taskId, provider }) => taskId === task.correlation && provider === vendor.name,
        )
      : undefined;
  return {
    lostTask: (taskId) => some(({ lost }) => lost.tasks.includes(taskId)),
    lostDeletion: (taskId) => some(({ lost }) => lost.deletions.includes(taskId)),
    lostStatus: (taskId, status) =>
      some(({ lost }) => lost.events.some((one) => one.taskId === taskId && one.status === status)),
    forgot: (creation) => some((failOver) => sentOf(failOver, creation) !== undefined),
    mayComeAgain: (creation) =>
      some((failOver) => {
        const sent = sentOf(failOver, creation);
        if (sent === undefined) return false;
        return failOver.isNoticedLate || !creation.vendor.hasList || sent.isMoved;
      }),
    lostExposure: ({ vendor, task }) =>
      !vendor.hasList && some(({ lost }) => lost.exposures.includes(task.id)),
    lostAttempt: ({ taskId, at, push, attempt }) =>
      some(
        (failOver) =>
          failOver.from <= at &&
          failOver.lost.attempts.some(
            (one) =>
              one.taskId === taskId &&
              one.sequence === (push?.sequence ?? null) &&
              // The next one may be on its way when the primary dies, and is not recorded at all.
              (one.attempt === attempt
                ? at <= failOver.at
                : one.attempt < attempt && at <= failOver.at + soonMs),
          ),
      ),
    lostOrder: ({ taskId, at }) =>
      some(
        (failOver) =>
          failOver.from <= at &&
          at <= failOver.at + mostLatencyMs &&
          failOver.lost.attempts.some((one) => one.taskId === taskId),
      ),
    lostEvent: ({ taskId, at, push }) =>
      some(
        (failOver) =>
          isOfThen(failOver, at) &&
          failOver.lost.events.some(
            (one) =>
              one.taskId === taskId &&
              one.sequence === push?.sequence &&
              one.status === push.status,
          ),
      ),
  };
}

export function textExcuseOf(failOvers: readonly FailOver[]): LostTextExcuse {
  const usageOf = (usageId: string) =>
    failOvers.flatMap(({ lost }) => lost.usage).filter(({ id }) => id === usageId);
  return {
    lostUsage: (usageId) => usageOf(usageId).length > 0,
    forgotUsage: (usageId) => usageOf(usageId).some(({ isOpen }) => !isOpen),
    openLostUntil: (usageId) =>
      Math.max(
        -Infinity,
        ...failOvers.filter(({ lost }) => lost.openUsage.includes(usageId)).map(({ at }) => at),
      ),
    lostTopUps: (accountId) =>
      failOvers
        .flatMap(({ lost }) => lost.toppedUp)
        .reduce((sum, one) => (one.accountId === accountId ? sum + one.quota : sum), 0),
    lostReserve: ({ beganAt, endedAt = Infinity }) =>
      failOvers.some(({ from, at }) => from <= endedAt && beganAt <= at + leasesHoldMs),
  };
}
