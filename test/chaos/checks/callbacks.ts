import { defaultCallbackRetryDelaysMs } from '@gateway/domain';
import type { Arrival } from '../receiver.ts';
import type { Evidence, StoredTask } from './evidence.ts';

export interface CallbackFindings {
  readonly problems: string[];
  /** Pushes that the receiver took, without repetitions. */
  readonly delivered: number;
  /** Everything that arrived, challenges included. */
  readonly attempts: number;
  /** Tasks whose receiver failed until the dispatcher gave up. */
  readonly givenUp: number;
}

type Push = NonNullable<Arrival['push']> & { readonly reaction: Arrival['reaction'] };

const maxAttempts = 1 + defaultCallbackRetryDelaysMs.length;

/** What arrived at the receiver, in its order, against what the tasks came to. */
export function checkCallbacks({
  experiences,
  tasks,
  arrivals,
  resources,
}: Evidence): CallbackFindings {
  const byRef = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    byRef.set(arrival.ref, [...(byRef.get(arrival.ref) ?? []), arrival]);
  }
  const ordered = new Set(
    experiences.filter(({ order }) => order.callback !== 'none').map(({ order }) => order.ref),
  );
  const pushed = tasks.filter(({ ref }) => ordered.has(ref));
  const problems = pushed.flatMap((task) =>
    checkOne(task, {
      arrivals: byRef.get(task.ref) ?? [],
      billedQuota: resources.get(task.id)?.portal_billing.billed_quota,
    }),
  );
  const expected = new Set(pushed.map(({ ref }) => ref));
  for (const ref of byRef.keys()) {
    if (!expected.has(ref)) {
      problems.push(`${ref}: something was pushed, and there is no task with a callback`);
    }
  }
  const taken = arrivals.flatMap(({ push, reaction: reaction }) =>
    push !== null && reaction === 'ok' ? [push.webhookId] : [],
  );
  return {
    problems,
    delivered: new Set(taken).size,
    attempts: arrivals.length,
    givenUp: pushed.filter(({ callback_state: state }) => state === 'stopped').length,
  };
}

function checkOne(
  task: StoredTask,
  { arrivals, billedQuota }: { arrivals: readonly Arrival[]; billedQuota: number | undefined },
): string[] {
  const name = `${task.id} (${task.ref})`;
  const pushes = arrivals.flatMap(({ push, reaction: reaction }): Push[] =>
    push === null ? [] : [{ ...push, reaction: reaction }],
  );
  return [
    ...checkOrder(name, pushes),
    ...checkSameness(name, pushes),
    ...checkLast(name, task, { arrivals, pushes, billedQuota }),
  ];
}

function checkOrder(name: string, pushes: readonly Push[]): string[] {
  const problems: string[] = [];
  for (const [index, push] of pushes.entries()) {
    const before = pushes[index - 1];
    if (before === undefined) continue;
    if (push.sequence < before.sequence) {
      problems.push(
        `${name}: push ${push.sequence} (${push.status}) arrived after push ${before.sequence} (${before.status})`,
      );
    }
    if (before.isTerminal && push.webhookId !== before.webhookId) {
      problems.push(
        `${name}: push ${push.sequence} (${push.status}) arrived after the terminal one`,
      );
    }
  }
  return problems;
}

/** A push keeps its id and its content, however often it is sent. */
function checkSameness(name: string, pushes: readonly Push[]): string[] {
  const bySequence = new Map<number, Set<string>>();
  for (const { sequence, webhookId, status, taskId } of pushes) {
    bySequence.set(
      sequence,
      (bySequence.get(sequence) ?? new Set<string>()).add(`${webhookId} ${status} ${taskId}`),
    );
  }
  return [...bySequence]
    .filter(([, kinds]) => kinds.size > 1)
    .map(([sequence, kinds]) => `${name}: push ${sequence} came as ${[...kinds].join(' and as ')}`);
}

function checkLast(
  name: string,
  task: StoredTask,
  {
    arrivals,
    pushes,
    billedQuota,
  }: { arrivals: readonly Arrival[]; pushes: readonly Push[]; billedQuota: number | undefined },
): string[] {
  const last = pushes.filter(({ reaction: reaction }) => reaction === 'ok').at(-1);
  if (
    last?.status === task.status &&
    last.taskId === task.id &&
    last.sequence === task.events &&
    last.billedQuota === billedQuota
  ) {
    return [];
  }
  if (task.callback_state === 'stopped') {
    return failuresAtTheEnd(arrivals) >= maxAttempts
      ? []
      : [
          `${name}: pushing stopped (${task.stop_reason ?? ''}) although the receiver failed ${failuresAtTheEnd(arrivals)} times in a row, not ${maxAttempts}`,
        ];
  }
  return [
    `${name} is ${task.status}, and the last push that was taken says ${last === undefined ? 'nothing' : `${last.status} (${last.sequence} of ${task.events})`}`,
  ];
}

function failuresAtTheEnd(arrivals: readonly Arrival[]): number {
  const last = arrivals.map(({ reaction: reaction }) => reaction).lastIndexOf('ok');
  return arrivals.length - 1 - last;
}
