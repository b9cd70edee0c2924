import type { VideoResource } from '@gateway/contracts';
import { isTerminal } from '@gateway/domain';
import type { Answer, Experience } from '../customer.ts';
import type { Evidence, StoredTask } from './evidence.ts';

/** Every task comes from a wish, every promise from a task, and every task ended as it had to. */
export function checkTasks({ experiences, tasks, resources }: Evidence): string[] {
  const byRef = new Map<string, StoredTask[]>();
  for (const task of tasks) byRef.set(task.ref, [...(byRef.get(task.ref) ?? []), task]);
  const wishes = new Set(experiences.map(({ wish }) => wish.ref));
  return [
    ...tasks
      .filter(({ ref }) => !wishes.has(ref))
      .map(({ id, ref }) => `${id} (${ref}) is a task that nobody asked for`),
    ...experiences.flatMap((experience) =>
      checkPromises(experience, byRef.get(experience.wish.ref) ?? []),
    ),
    ...experiences.flatMap((experience) =>
      (byRef.get(experience.wish.ref) ?? []).flatMap((task) =>
        checkEnding(experience, task, resources.get(task.id)),
      ),
    ),
  ];
}

/**
 * Whether a task may exist although no answer said so. A 503 of the reservation says that nothing
 * was created.
 */
const isUnsure = (answer: Answer): boolean =>
  answer.kind === 'broken' ||
  (answer.kind === 'answered' && answer.status >= 500 && codeOf(answer) !== 'billing_unavailable');

export const codeOf = (answer: Answer): string | undefined =>
  answer.kind === 'answered'
    ? (answer.body as { error?: { code?: string } }).error?.code
    : undefined;

function checkPromises(
  { wish, answers, taskIds, reuses }: Experience,
  tasks: readonly StoredTask[],
): string[] {
  const said = answers
    .map((answer) => (answer.kind === 'answered' ? (codeOf(answer) ?? answer.status) : answer.kind))
    .join(', ');
  const stored = new Set(tasks.map(({ id }) => id));
  const problems = [...taskIds]
    .filter((id) => !stored.has(id))
    .map((id) => `${wish.ref}: ${id} was answered with 200 and does not exist`);
  if (taskIds.size > 1) {
    problems.push(
      `${wish.ref}: one Idempotency-Key made ${taskIds.size} tasks: ${[...taskIds].join(', ')}`,
    );
  }
  if (tasks.length > 1) problems.push(`${wish.ref}: ${tasks.length} tasks for one wish (${said})`);
  if (tasks.length > 0 && taskIds.size === 0 && !answers.some(isUnsure)) {
    problems.push(`${wish.ref}: a task was created although the answer was ${said}`);
  }
  for (const answer of reuses) {
    if (answer.kind === 'answered' && answer.status < 500 && answer.status !== 409) {
      problems.push(
        `${wish.ref}: another body under the same Idempotency-Key was answered with ${answer.status}`,
      );
    }
  }
  return problems;
}

/**
 * Ends that come from processes that were killed, or from the customer, and not from the directive.
 */
function isAllowed(
  { wish, cancels }: Experience,
  { status, failure_code: code }: StoredTask,
): boolean {
  if (status === 'cancelled') return cancels.length > 0;
  if (code === 'submission_unknown') return true;
  const { ending } = wish.kind;
  return ending.status === 'succeeded'
    ? status === 'succeeded'
    : status === ending.status && code === ending.code;
}

function checkEnding(
  experience: Experience,
  task: StoredTask,
  resource: VideoResource | undefined,
): string[] {
  const { wish, cancels } = experience;
  const name = `${task.id} (${wish.ref}, ${wish.kind.name})`;
  if (!isTerminal(task.status)) return [`${name} is still ${task.status}`];
  if (resource === undefined) return [`${name} cannot be read by its customer`];
  const problems = checkBill(experience, task, resource).map((problem) => `${name}: ${problem}`);
  if (!isAllowed(experience, task)) {
    problems.push(
      `${name} ended as ${task.status} (${task.failure_code ?? 'no failure'}), not as ${JSON.stringify(wish.kind.ending)}`,
    );
  }
  if (
    cancels.some((answer) => answer.kind === 'answered' && answer.status === 200) &&
    task.status !== 'cancelled'
  ) {
    problems.push(`${name}: the cancellation was confirmed, and the task ended as ${task.status}`);
  }
  return problems;
}

/** A success costs the seconds that its kind is made of, anything else nothing. */
function checkBill(
  { wish }: Experience,
  { status }: StoredTask,
  { portal_billing: billing }: VideoResource,
): string[] {
  const { ending } = wish.kind;
  const seconds = status === 'succeeded' && ending.status === 'succeeded' ? ending.seconds : 0;
  const { billed_duration_seconds: billedSeconds, billed_quota: billedQuota } = billing;
  if (billedSeconds === seconds && billedQuota === seconds * secondQuota) return [];
  return [
    `${status} and billed ${String(billedSeconds)} s, ${String(billedQuota)} quota; it has to be ${seconds} s, ${seconds * secondQuota}`,
  ];
}

/** Of 480p in config/gateway.yaml. */
const secondQuota = 60;
