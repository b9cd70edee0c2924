/**
 * Every legal move of a task, by the name of what happened. A pair that is not listed here cannot
 * happen. `status` is what customers see; it is spelled as in the interface document.
 */
const moves = {
  queued: { accepted: 'running', failed: 'failed', expired: 'expired', cancelled: 'cancelled' },
  running: { stored: 'succeeded', failed: 'failed', expired: 'expired', cancelled: 'cancelled' },
  succeeded: {},
  failed: {},
  expired: {},
  cancelled: {},
} as const satisfies Record<string, Readonly<Record<string, string>>>;

export type TaskStatus = keyof typeof moves;
export type TaskEvent = { [S in TaskStatus]: keyof (typeof moves)[S] }[TaskStatus];

export const taskStatuses = Object.keys(moves) as readonly TaskStatus[];
export const isTerminal = (status: TaskStatus): boolean => Object.keys(moves[status]).length === 0;
export const terminalStatuses = taskStatuses.filter(isTerminal);
export const liveStatuses = taskStatuses.filter((status) => !isTerminal(status));

/** The status after `event`, or undefined when the move is not allowed. */
export function next(status: TaskStatus, event: TaskEvent): TaskStatus | undefined {
  const row: Partial<Record<TaskEvent, TaskStatus>> = moves[status];
  return row[event];
}

/** Every status that may come right after this one. */
export const successorsOf = (status: TaskStatus): TaskStatus[] => [
  ...new Set<TaskStatus>(Object.values(moves[status])),
];

/** Statuses from which `event` is legal: the WHERE clause of the guarded update. */
export function sourcesOf(event: TaskEvent): TaskStatus[] {
  return taskStatuses.filter((status) => next(status, event) !== undefined);
}

/** The one status that `event` leads to. */
export function targetOf(event: TaskEvent): TaskStatus {
  const targets = new Set(
    taskStatuses.map((status) => next(status, event)).filter((target) => target !== undefined),
  );
  const [target] = targets;
  if (target === undefined || targets.size !== 1) {
    throw new Error(`event ${event} has no single target`);
  }
  return target;
}

/**
 * Where a live task stands on its way, inside the video-worker; never shown to a customer.
 * `submitting` is the committed intent to call the vendor: whoever finds it must not call again
 * before asking the vendor. `late` is an expired task whose vendor may still finish, watched for
 * the operator's exposure; `done` is over.
 */
export const taskSteps = ['submit', 'submitting', 'poll', 'ingest', 'late', 'done'] as const;
export type TaskStep = (typeof taskSteps)[number];

/** Mermaid text for ARCHITECTURE.md; a test keeps the document equal to this. */
export function diagram(): string {
  const arrows = taskStatuses.flatMap((from) =>
    Object.entries(moves[from]).map(([event, to]) => `  ${from} --> ${to}: ${event}`),
  );
  return ['stateDiagram-v2', '  [*] --> queued', ...arrows].join('\n');
}
