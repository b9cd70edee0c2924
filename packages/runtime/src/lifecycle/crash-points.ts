import type { CrashPoint } from './crash-point.ts';
import { renderCrashPoints } from './render-crash-points.ts';

/**
 * Moments at which a process may die in the middle of a step: before its first side effect, and after
 * commits and calls that leave the process. Each name stands at one place in the services, and the
 * tests kill a process at each.
 */
export const crashPoints = {
  'create.read': {
    service: 'api',
    left: 'nothing',
    repairedBy: 'nothing: the customer got no response and tries again',
  },
  'create.key-claimed': {
    service: 'api',
    left: 'an `Idempotency-Key` that is reserved for a task id',
    repairedBy:
      'a request with the same key, which creates the task under this id; the key is forgotten after a day',
  },
  'create.held': {
    service: 'api',
    left: 'a hold without a task',
    repairedBy:
      'billing, after `ORPHAN_GRACE_SECONDS`; a request with the same key creates the task instead, at the price of the hold',
  },
  'create.references-stored': {
    service: 'api',
    left: 'a hold without a task, and files of its references',
    repairedBy:
      'as before; a request with the same key writes them again under other names; the sweep of the storage removes these',
  },
  'create.inserted': {
    service: 'api',
    left: 'a task without a job',
    repairedBy: 'the reconcilers of video-worker and callback-dispatcher',
  },
  'create.woken': {
    service: 'api',
    left: 'a task on its way whose customer got no response',
    repairedBy: 'a request with the same key, which returns the task',
  },
  'create.full': {
    service: 'api',
    left: 'a hold without a task: the account is at its limit',
    repairedBy: 'billing, after `ORPHAN_GRACE_SECONDS`, unless a repetition finds capacity',
  },
  'hold.asked': {
    service: 'billing',
    left: 'nothing',
    repairedBy: 'the api tries twice more, then returns 503',
  },
  'hold.taken': {
    service: 'billing',
    left: 'a hold that the api does not know about',
    repairedBy:
      'the api tries again and learns that it exists; otherwise billing, after `ORPHAN_GRACE_SECONDS`',
  },
  'hold.returned': {
    service: 'billing',
    left: 'a closed hold that the api believes to be open, and files of its references',
    repairedBy: 'the next call finds it closed; the sweep of the storage removes the files',
  },
  'hold.orphans-released': {
    service: 'billing',
    left: 'closed holds that are not counted in the metric',
    repairedBy: 'nothing is left to do',
  },
  'lease.asked': {
    service: 'billing',
    left: 'nothing',
    repairedBy: 'the next text request of the account asks again; those that waited got 503',
  },
  'lease.settled': {
    service: 'billing',
    left: 'a lease that its replica does not know about',
    repairedBy:
      'the replica asks again and is told what is; otherwise billing, after `USAGE_LEASE_SECONDS`',
  },
  'lease.taken-back': {
    service: 'billing',
    left: 'closed leases of a replica that is gone, not counted in the metric',
    repairedBy: 'nothing is left to do',
  },
  ...renderCrashPoints,
  'cancel.asked': {
    service: 'api',
    left: 'nothing',
    repairedBy: 'nothing: the customer got no response and tries again',
  },
  'cancel.ended': {
    service: 'api',
    left: 'a cancelled task with an open hold, no wake-ups',
    repairedBy: 'the reconcilers of billing and callback-dispatcher',
  },
  'cancel.requested': {
    service: 'api',
    left: 'a live task with a cancel request',
    repairedBy: 'the worker’s next step',
  },
  'cancel.due': {
    service: 'video-worker',
    left: 'a live task with a cancel request',
    repairedBy: 'the job is taken over',
  },
  'cancel.vendor-responded': {
    service: 'video-worker',
    left: 'a live task with a cancel request, which the vendor has cancelled',
    repairedBy: 'the job is taken over: the vendor says that it is cancelled',
  },
  'cancel.orphan-noted': {
    service: 'video-worker',
    left: 'a live task with a cancel request and its exposure',
    repairedBy: 'the job is taken over; the exposure is recorded once',
  },
  'cancel.committed': {
    service: 'video-worker',
    left: 'a cancelled task with an open hold, no wake-ups',
    repairedBy: 'the reconcilers of billing and callback-dispatcher',
  },
  'expire.due': {
    service: 'video-worker',
    left: 'a live task past its deadline',
    repairedBy: 'the job is taken over',
  },
  'expire.polled': {
    service: 'video-worker',
    left: 'a live task past its deadline, which the vendor may have finished',
    repairedBy: 'the job is taken over, and the vendor is polled again',
  },
  'expire.committed': {
    service: 'video-worker',
    left: 'an expired task with an open hold, no wake-ups; the vendor was not asked to stop',
    repairedBy:
      'the reconcilers of billing and callback-dispatcher; what the vendor still does is watched',
  },
  'expire.vendor-asked': {
    service: 'video-worker',
    left: 'an expired task that is watched',
    repairedBy: 'the job is taken over',
  },
  'late.polled': {
    service: 'video-worker',
    left: 'an expired task that is watched',
    repairedBy: 'the job is taken over, and the vendor is polled again',
  },
  'late.found': {
    service: 'video-worker',
    left: 'an expired task that is watched, with the vendor task that was looked up',
    repairedBy: 'the job is taken over',
  },
  'late.exposure-noted': {
    service: 'video-worker',
    left: 'an expired task that is watched, with its exposure',
    repairedBy: 'the job is taken over; the exposure is recorded once',
  },
  'settle.due': {
    service: 'billing',
    left: 'a finished task with an open hold',
    repairedBy: 'billing’s reconciler',
  },
  'settle.committed': {
    service: 'billing',
    left: 'a settled task whose job still exists',
    repairedBy: 'the job is taken over and finds nothing to do',
  },
  'metering.due': {
    service: 'billing',
    left: 'a batch of text usage in the outbox',
    repairedBy: 'billing’s reconciler',
  },
  'metering.applied': {
    service: 'billing',
    left: 'text usage in the books, and a job',
    repairedBy: 'the job is taken over and finds nothing to do',
  },
  'verify.claimed': {
    service: 'callback-dispatcher',
    left: 'a claim on a callback that is not verified',
    repairedBy: 'the dispatcher’s reconciler, when the claim has expired',
  },
  'verify.posted': {
    service: 'callback-dispatcher',
    left: 'a challenge that was echoed but not recorded',
    repairedBy: 'the same challenge is sent again when the claim has expired',
  },
  'verify.recorded': {
    service: 'callback-dispatcher',
    left: 'a verified callback; its first push waits',
    repairedBy: 'the dispatcher’s reconciler',
  },
  'push.claimed': {
    service: 'callback-dispatcher',
    left: 'a claim, and an event that was not sent',
    repairedBy: 'the dispatcher’s reconciler, when the claim has expired',
  },
  'push.posted': {
    service: 'callback-dispatcher',
    left: 'a push that was delivered but not recorded',
    repairedBy: 'sent again with the same `webhook-id` when the claim has expired',
  },
  'push.recorded': {
    service: 'callback-dispatcher',
    left: 'a push that was delivered and recorded',
    repairedBy: 'the dispatcher’s reconciler sends the next one',
  },
} as const satisfies Readonly<Record<`${string}.${string}`, CrashPoint>>;

export type CrashPointName = keyof typeof crashPoints;
