import type { Evidence, StoredTask, VendorTask } from './evidence.ts';

export interface VendorFindings {
  readonly problems: string[];
  readonly creations: number;
  readonly renders: number;
  readonly unbilledRenders: number;
}

/** Renders that nobody is billed for, and where the gateway says so. */
const isAccountedFor = ({ status, failure_code: code, exposures }: StoredTask): boolean =>
  status === 'succeeded' || exposures.length > 0 || (status === 'failed' && code === 'no_output');

/** The vendor's own record of what it was asked for, against ours. */
export function checkVendor({ tasks, vendorTasks }: Evidence): VendorFindings {
  const ours = new Map(tasks.map((task) => [task.id, task]));
  const statusOf = ({ safety_identifier: taskId = '' }: VendorTask): string | undefined =>
    ours.get(taskId)?.status;
  const renders = vendorTasks.filter(isRender);
  const billed = renders.filter((one) => statusOf(one) === 'succeeded').length;
  const succeeded = tasks.filter(({ status }) => status === 'succeeded').length;
  return {
    problems: [
      ...checkCreations(vendorTasks, ours),
      ...checkReferences(tasks, vendorTasks),
      ...(billed === succeeded
        ? []
        : [
            `the vendor rendered ${billed} of the tasks that succeeded, and ${succeeded} succeeded`,
          ]),
    ],
    creations: vendorTasks.length,
    renders: renders.length,
    unbilledRenders: renders.length - billed,
  };
}

/** Never two for one task of ours, and none that we know nothing of. */
function checkCreations(
  vendorTasks: readonly VendorTask[],
  ours: ReadonlyMap<string, StoredTask>,
): string[] {
  const byOurs = new Map<string, VendorTask[]>();
  for (const one of vendorTasks) {
    byOurs.set(one.safety_identifier ?? '', [
      ...(byOurs.get(one.safety_identifier ?? '') ?? []),
      one,
    ]);
  }
  return [...byOurs].flatMap(([taskId, created]) => {
    const task = ours.get(taskId);
    const ids = created.map(({ id }) => id).join(', ');
    if (task === undefined) return [`the vendor has ${ids} for ${taskId}, which does not exist`];
    return [
      ...(created.length > 1
        ? [`${taskId} was created ${created.length} times at the vendor: ${ids}`]
        : []),
      ...created.flatMap((one) => checkOne(one, task)),
    ];
  });
}

/** What we believe that the vendor has, it has. */
function checkReferences(
  tasks: readonly StoredTask[],
  vendorTasks: readonly VendorTask[],
): string[] {
  const known = new Set(vendorTasks.map(({ id }) => id));
  return tasks.flatMap(({ id, status, vendor_task_id: vendorTaskId }) => {
    if (vendorTaskId === null) {
      return status === 'succeeded' ? [`${id} succeeded without a vendor task`] : [];
    }
    return known.has(vendorTaskId)
      ? []
      : [`${id} is ${status} and its vendor task ${vendorTaskId} does not exist`];
  });
}

const isRender = ({ status, content }: VendorTask): boolean =>
  status === 'succeeded' && content?.video_url !== undefined;

function checkOne(one: VendorTask, task: StoredTask): string[] {
  const problems: string[] = [];
  if (task.vendor_task_id !== one.id && task.exposures.length === 0) {
    problems.push(
      `${task.id} has the vendor task ${String(task.vendor_task_id)}; the vendor also has ${one.id} for it, and no exposure says so`,
    );
  }
  if (isRender(one) && !isAccountedFor(task)) {
    problems.push(
      `the vendor rendered ${one.id} for ${task.id}, which ended as ${task.status} (${task.failure_code ?? ''}), and no exposure says so`,
    );
  }
  return problems;
}
