import { isTerminal, type TaskStatus } from '@gateway/domain';
import type { Database } from '@gateway/store';
import type { Experience } from '../actors/customer.ts';
import { attemptTimeoutMs, type Arrival } from '../actors/receiver.ts';
import type { Promised } from '../actors/settings.ts';
import type { LostCommitsExcuse } from './lost-commits.ts';

export interface PushEvidence {
  readonly database: Pick<Database, 'pool'>;
  readonly experiences: readonly Experience[];
  readonly arrivals: readonly Arrival[];
  readonly promised: Pick<Promised, 'callbackRetryMs'>;
  readonly excuse: LostCommitsExcuse;
}

/** A task with its callback, as the tables tell them. */
interface CallbackRow {
  readonly task_id: string;
  readonly state: string;
  readonly stop_reason: string | null;
  /** Statuses of the task, in their order. */
  readonly history: readonly string[];
  readonly pushes: readonly { readonly sequence: number; readonly state: string }[];
  readonly attempts: readonly AttemptRow[];
}

interface AttemptRow {
  readonly sequence: number | null;
  readonly attempt: number;
  readonly class: string;
  readonly next_ms: number | null;
}

const rowsSql = `
  SELECT c.task_id, c.state, c.stop_reason,
    (SELECT json_agg(e.status ORDER BY e.sequence) FROM task_event e WHERE e.task_id = c.task_id) AS history,
    (SELECT json_agg(json_build_object('sequence', p.sequence, 'state', p.state) ORDER BY p.sequence) FROM callback_push p WHERE p.task_id = c.task_id) AS pushes,
    (SELECT coalesce(json_agg(json_build_object('sequence', a.sequence, 'attempt', a.attempt, 'class', a.class,
       'next_ms', (extract(epoch FROM a.next_attempt_at) * 1000)::float8) ORDER BY a.serial), '[]') FROM callback_attempt a WHERE a.task_id = c.task_id) AS attempts
  FROM callback c JOIN task t ON t.id = c.task_id AND t.deleted_at IS NULL ORDER BY c.task_id`;

/** What receivers got against the histories of their tasks. */
export async function findFaultsOfPushes(evidence: PushEvidence): Promise<string[]> {
  const { database, experiences, arrivals, promised, excuse } = evidence;
  const waits = promised.callbackRetryMs;
  const { rows } = await database.pool.query<CallbackRow>(rowsSql);
  const ids = [...new Set(arrivals.map(({ taskId }) => taskId))];
  const arrivalsOf = (taskId: string): Arrival[] =>
    arrivals.filter((arrival) => arrival.taskId === taskId);
  // What was told without a record comes again, or something else in its place, and older ones before.
  const standing = (taskId: string): Arrival[] =>
    arrivalsOf(taskId).filter(
      (arrival) => !excuse.lostEvent(arrival) && !excuse.lostOrder(arrival),
    );
  return [
    ...ids.flatMap((taskId) => faultsOfOrder(taskId, standing(taskId))),
    ...rows.flatMap((row) => faultsOfCallback(row, arrivalsOf(row.task_id), { waits, excuse })),
    ...experiences
      .filter(({ taskIds }) => ![...taskIds].some(excuse.lostDeletion))
      .flatMap((experience) => faultsAfterDeletion(experience, arrivals)),
  ];
}

const isTrue = ({ push }: Arrival, history: readonly string[]): boolean =>
  push === null || history[push.sequence - 1] === push.status;

/** What a receiver can see by itself: never an older status, nothing after the end, one body for one id. */
function faultsOfOrder(taskId: string, arrivals: readonly Arrival[]): string[] {
  // What the network repeats may come after what was sent later.
  const pushes = arrivals.flatMap(({ push, isSpare }) => (push === null || isSpare ? [] : [push]));
  const unsigned = arrivals.filter(({ isSigned }) => !isSigned);
  const untimely = arrivals.filter(({ isTimely }) => !isTimely);
  return [
    ...unsigned.map(() => `a push of ${taskId} is not signed by its account's secret`),
    ...untimely.map(() => `a push of ${taskId} is signed with another time than now`),
    ...pushes.slice(1).flatMap((push, index) => {
      const before = pushes[index];
      if (before === undefined) return [];
      if (push.sequence < before.sequence) {
        return [`push ${push.sequence} of ${taskId} came after push ${before.sequence}`];
      }
      if (push.sequence === before.sequence) {
        return JSON.stringify(push) === JSON.stringify(before)
          ? []
          : [`push ${push.sequence} of ${taskId} came in two forms`];
      }
      return isTerminal(before.status as TaskStatus)
        ? [`push ${push.sequence} of ${taskId} came after the end`]
        : [];
    }),
  ];
}

function faultsOfCallback(
  row: CallbackRow,
  all: readonly Arrival[],
  { waits, excuse }: { readonly waits: readonly number[]; readonly excuse: LostCommitsExcuse },
): string[] {
  const arrivals = all.filter(
    (arrival) => isTrue(arrival, row.history) || !excuse.lostEvent(arrival),
  );
  // What was sent before is sent again under the same number.
  const recorded = arrivals.filter((arrival) => !arrival.isSpare && !excuse.lostAttempt(arrival));
  return [
    ...faultsOfContent(row, arrivals),
    ...faultsOfStates(row, recorded, waits),
    ...faultsOfRetries(row, recorded, waits),
  ].map((fault) => `${row.task_id}: ${fault}`);
}

/** Each push says what the task's history says at its number; the challenge comes before them. */
function faultsOfContent(
  { history, task_id: id }: CallbackRow,
  arrivals: readonly Arrival[],
): string[] {
  const echoed = arrivals.findIndex(({ push, reaction }) => push === null && reaction === 'ok');
  return arrivals.flatMap((arrival, index) => {
    const { push } = arrival;
    if (push === null) return [];
    const { sequence, status } = push;
    return [
      ...(isTrue(arrival, history) && push.taskId === id
        ? []
        : [`push ${sequence} says ${status}, and its history ${history[sequence - 1]}`]),
      ...(echoed === -1 || index < echoed
        ? [`push ${sequence} before the challenge was echoed`]
        : []),
    ];
  });
}

const isTaken = ({ push, reaction }: Arrival, sequence: number): boolean =>
  push?.sequence === sequence && reaction === 'ok';

/** What became of each push, and of the callback. */
function faultsOfStates(
  { state, stop_reason: reason, history, pushes, attempts }: CallbackRow,
  arrivals: readonly Arrival[],
  waits: readonly number[],
): string[] {
  const faults = pushes.flatMap(({ sequence, state: pushed }) => {
    if (pushed === 'pending') return [`push ${sequence} is still pending`];
    if (pushed === 'delivered' && !arrivals.some((arrival) => isTaken(arrival, sequence))) {
      return [`push ${sequence} is said to be delivered, and nobody took it`];
    }
    return [];
  });
  if (state !== 'stopped') {
    const isToldEnd = arrivals.some((arrival) => isTaken(arrival, history.length));
    return isToldEnd
      ? faults
      : [...faults, `its receiver was not told the end, and pushing did not stop`];
  }
  return stops[reason ?? '']?.({ arrivals, attempts, waits }) === true
    ? faults
    : [...faults, `pushing stopped (${reason}) without a reason for it`];
}

type Stop = (told: {
  readonly arrivals: readonly Arrival[];
  readonly attempts: readonly AttemptRow[];
  readonly waits: readonly number[];
}) => boolean;

const stops: Readonly<Record<string, Stop>> = {
  gone: ({ arrivals }) => arrivals.some(({ reaction }) => reaction === 'gone'),
  mismatch: ({ arrivals }) => arrivals.some(({ reaction }) => reaction === 'mismatch'),
  // One retry for each wait, after the first attempt. One of them may have been recorded without its row.
  exhausted: ({ arrivals, attempts, waits }) => {
    const most = 1 + waits.length;
    const logged = failuresBefore(attempts, attempts.length);
    return logged === most || (logged < most && failuresAtLast(arrivals) >= most);
  },
};

/** Failed attempts in a row that a receiver has seen last. */
const failuresAtLast = (arrivals: readonly Arrival[]): number =>
  arrivals.length - 1 - arrivals.findLastIndex(({ reaction }) => reaction === 'ok');

/** Failed attempts in a row that the log has right before this one. */
const failuresBefore = (attempts: readonly AttemptRow[], index: number): number =>
  index - 1 - attempts.slice(0, index).findLastIndex((one) => one.class === 'success');

/** At most five retries in a row, each after its wait. */
function faultsOfRetries(
  { attempts }: CallbackRow,
  arrivals: readonly Arrival[],
  waits: readonly number[],
): string[] {
  return attempts.flatMap((attempt, index) => {
    const failures = failuresBefore(attempts, index);
    const before = attempts[index - 1];
    if (failures > waits.length) {
      return [`attempt ${index + 1} after ${failures} failures in a row`];
    }
    if (failures === 0 || before === undefined) return [];
    const wait = waits[failures - 1] ?? 0;
    const [failedAt, triedAt] = [firstOf(before, arrivals), firstOf(attempt, arrivals)];
    if (failedAt === undefined || triedAt === undefined) {
      return [`attempt ${index + 1} is in the log, and nothing arrived`];
    }
    return triedAt < failedAt + 0.8 * wait || triedAt < (before.next_ms ?? 0)
      ? [`attempt ${index + 1} came ${triedAt - failedAt} ms after a failure, and not ${wait}`]
      : [];
  });
}

/** A dispatcher that dies before it writes an attempt leaves its number to the next one. */
const firstOf = (
  { sequence, attempt }: AttemptRow,
  arrivals: readonly Arrival[],
): number | undefined =>
  arrivals.find(
    ({ push, attempt: number }) => (push?.sequence ?? null) === sequence && number === attempt,
  )?.at;

/** What was claimed before may still be on its way. */
const leftMs = attemptTimeoutMs + 5_000;

function faultsAfterDeletion(
  { taskIds, deletedAt }: Experience,
  arrivals: readonly Arrival[],
): string[] {
  if (deletedAt === undefined) return [];
  return arrivals
    .filter(({ taskId, at }) => taskIds.has(taskId) && at > deletedAt + leftMs)
    .map(({ taskId }) => `a push of ${taskId} came after it was deleted`);
}
