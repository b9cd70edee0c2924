import type { VideoResource } from '@gateway/contracts';
import { isTerminal } from '@gateway/domain';
import type { CallOutcome, Experience } from '../customer.ts';
import { secondsOf } from '../task-kinds.ts';
import type { Evidence, StoredTask } from './evidence.ts';

/** Every task comes from an order, every promise from a task, and every task ended as it had to. */
export function checkTasks({ experiences, tasks, resources }: Evidence): string[] {
  const byRef = new Map<string, StoredTask[]>();
  for (const task of tasks) byRef.set(task.ref, [...(byRef.get(task.ref) ?? []), task]);
  const orders = new Set(experiences.map(({ order }) => order.ref));
  return [
    ...tasks
      .filter(({ ref }) => !orders.has(ref))
      .map(({ id, ref }) => `${id} (${ref}) is a task that nobody asked for`),
    ...experiences.flatMap((experience) =>
      checkPromises(experience, byRef.get(experience.order.ref) ?? []),
    ),
    ...experiences.flatMap((experience) =>
      (byRef.get(experience.order.ref) ?? []).flatMap((task) =>
        checkEnding(experience, task, resources.get(task.id)),
      ),
    ),
  ];
}

/**
 * Whether a task may exist although no response said so. A 503 of the reservation says that nothing
 * was created.
 */
const isUnsure = (response: CallOutcome): boolean =>
  response.kind === 'broken' ||
  (response.kind === 'responded' &&
    response.status >= 500 &&
    codeOf(response) !== 'billing_unavailable');

export const codeOf = (response: CallOutcome): string | undefined =>
  response.kind === 'responded'
    ? (response.body as { error?: { code?: string } }).error?.code
    : undefined;

function checkPromises(
  { order, responses, taskIds, reuses }: Experience,
  tasks: readonly StoredTask[],
): string[] {
  const said = responses
    .map((response) =>
      response.kind === 'responded' ? (codeOf(response) ?? response.status) : response.kind,
    )
    .join(', ');
  const stored = new Set(tasks.map(({ id }) => id));
  const problems = [...taskIds]
    .filter((id) => !stored.has(id))
    .map((id) => `${order.ref}: ${id} was created with a 200 and does not exist`);
  if (taskIds.size > 1) {
    problems.push(
      `${order.ref}: one Idempotency-Key made ${taskIds.size} tasks: ${[...taskIds].join(', ')}`,
    );
  }
  if (tasks.length > 1) {
    problems.push(`${order.ref}: ${tasks.length} tasks for one order (${said})`);
  }
  if (tasks.length > 0 && taskIds.size === 0 && !responses.some(isUnsure)) {
    problems.push(`${order.ref}: a task was created although the response was ${said}`);
  }
  for (const response of reuses) {
    if (response.kind === 'responded' && response.status < 500 && response.status !== 409) {
      problems.push(
        `${order.ref}: another body under the same Idempotency-Key got ${response.status}`,
      );
    }
  }
  return problems;
}

/**
 * Ends that come from processes that were killed, or from the customer, and not from the directive.
 */
function isAllowed(
  { order, cancels }: Experience,
  { status, failure_code: code, exposures }: StoredTask,
): boolean {
  if (status === 'cancelled') return cancels.length > 0;
  if (code === 'submission_unknown') return true;
  const { ending } = order.kind;
  if (status === 'succeeded') return secondsOf(order.kind) > 0;
  if (status === 'expired' && code === 'output_unavailable') {
    // The last poll found the video, and its file could not be had any more. The books say so.
    return order.kind.orElse !== undefined && exposures.includes('output_lost');
  }
  return ending.status !== 'succeeded' && status === ending.status && code === ending.code;
}

function checkEnding(
  experience: Experience,
  task: StoredTask,
  resource: VideoResource | undefined,
): string[] {
  const { order, cancels } = experience;
  const name = `${task.id} (${order.ref}, ${order.kind.name})`;
  if (!isTerminal(task.status)) return [`${name} is still ${task.status}`];
  if (resource === undefined) return [`${name} cannot be read by its customer`];
  const problems = checkBill(experience, task, resource).map((problem) => `${name}: ${problem}`);
  if (!isAllowed(experience, task)) {
    problems.push(
      `${name} ended as ${task.status} (${task.failure_code ?? 'no failure'}), not as ${JSON.stringify(order.kind.ending)}`,
    );
  }
  if (
    cancels.some((response) => response.kind === 'responded' && response.status === 200) &&
    task.status !== 'cancelled'
  ) {
    problems.push(`${name}: the cancellation was confirmed, and the task ended as ${task.status}`);
  }
  return problems;
}

/** A success costs the seconds that its kind is made of, anything else nothing. */
function checkBill(
  { order }: Experience,
  { status }: StoredTask,
  { portal_billing: billing }: VideoResource,
): string[] {
  const seconds = status === 'succeeded' ? secondsOf(order.kind) : 0;
  const { billed_duration_seconds: billedSeconds, billed_quota: billedQuota } = billing;
  if (billedSeconds === seconds && billedQuota === seconds * secondQuota) return [];
  return [
    `${status} and billed ${String(billedSeconds)} s, ${String(billedQuota)} quota; it has to be ${seconds} s, ${seconds * secondQuota}`,
  ];
}

/** Of 480p in config/gateway.yaml. */
const secondQuota = 60;
