import type { CrashPoint } from './crash-point.ts';

/** Those between a slot at the vendor and the end of a task. */
export const renderCrashPoints = {
  'admit.given': {
    service: 'video-worker',
    left: 'a task with a slot and no job',
    repairedBy: 'the video-worker’s reconciler',
  },
  'submit.before-intent': {
    service: 'video-worker',
    left: 'a task with a slot',
    repairedBy: 'the job is taken over',
  },
  'submit.intent-committed': {
    service: 'video-worker',
    left: 'a task in `submitting` that the vendor does not know',
    repairedBy:
      'the vendor’s list; after `SUBMISSION_UNKNOWN_AFTER_MS` it ends as `submission_unknown`',
  },
  'submit.vendor-responded': {
    service: 'video-worker',
    left: 'a task in `submitting` that the vendor is working on',
    repairedBy: 'the vendor’s list: the task is adopted; without one, as in the row above',
  },
  'submit.recorded': {
    service: 'video-worker',
    left: 'a running task, no wake-ups',
    repairedBy: 'the job is taken over; the dispatcher’s reconciler',
  },
  'submit.put-off': {
    service: 'video-worker',
    left: 'a task with a slot that the vendor would not accept yet',
    repairedBy: 'the job is taken over',
  },
  'leave.decided': {
    service: 'video-worker',
    left: 'a task that was to leave its route: with a slot and unsent, in `submitting`, or failed at its vendor',
    repairedBy:
      'the job is taken over and decides again; in `submitting` the vendor’s list, and after `SUBMISSION_UNKNOWN_AFTER_MS` it ends as `submission_unknown`: nobody knows any more what the vendor said',
  },
  'leave.page-decided': {
    service: 'video-worker',
    left: 'a queue whose vendor serves nobody',
    repairedBy: 'the next round of any replica',
  },
  'leave.committed': {
    service: 'video-worker',
    left: 'a task in the queue of its new vendor, and a free slot at the one before, without wake-ups',
    repairedBy: 'the next round that gives slots, of any replica',
  },
  'resolve.listed': {
    service: 'video-worker',
    left: 'a task in `submitting`',
    repairedBy: 'the job is taken over, and the list is read again',
  },
  'resolve.exposure-noted': {
    service: 'video-worker',
    left: 'a task in `submitting` with its exposure',
    repairedBy: 'the job is taken over; the exposure is recorded once',
  },
  'poll.responded': {
    service: 'video-worker',
    left: 'a running task',
    repairedBy: 'the job is taken over, and the vendor is polled again',
  },
  'poll.output-recorded': {
    service: 'video-worker',
    left: 'a task in `ingest` without files',
    repairedBy:
      'the job is taken over; after a batch poll, the video-worker’s reconciler brings the job forward',
  },
  'ingest.claimed': {
    service: 'video-worker',
    left: 'a task in `ingest` under a new epoch',
    repairedBy: 'the job is taken over',
  },
  'ingest.video-stored': {
    service: 'video-worker',
    left: 'a video in storage that no row names',
    repairedBy:
      'the job is taken over and copies again under a new name; the sweep of the storage removes the first file',
  },
  'ingest.copied': {
    service: 'video-worker',
    left: 'all files in storage, which no row names',
    repairedBy: 'as before',
  },
  'ingest.polled': {
    service: 'video-worker',
    left: 'a task in `ingest` whose last copy failed',
    repairedBy: 'the job is taken over, and the vendor is polled again before the next copy',
  },
  'ingest.put-off': {
    service: 'video-worker',
    left: 'a task in `ingest` with a failed copy, and no pause',
    repairedBy: 'the job is taken over, and the file is tried again at once',
  },
  'finish.committed': {
    service: 'video-worker',
    left: 'a succeeded task with an open hold, no wake-ups',
    repairedBy: 'the reconcilers of billing and callback-dispatcher',
  },
  'finish.announced': {
    service: 'video-worker',
    left: 'a job for a task that is over',
    repairedBy: 'the job is taken over and finds nothing to do',
  },
  'fail.committed': {
    service: 'video-worker',
    left: 'a failed task with an open hold, no wake-ups',
    repairedBy: 'the reconcilers of billing and callback-dispatcher',
  },
} as const satisfies Readonly<Record<`${string}.${string}`, CrashPoint>>;
