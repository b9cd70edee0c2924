import type { VideoResource } from '@gateway/contracts';
import type { TaskStatus } from '@gateway/domain';
import type { Database } from '@gateway/store';
import { call, type Experience } from '../customer.ts';
import type { Arrival } from '../receiver.ts';
import type { Stack, StackCustomer } from '../stack.ts';
import type { TextExperience } from '../text.ts';

/** A task as the gateway's tables have it, for what no customer can see. */
export interface StoredTask {
  readonly id: string;
  readonly account_id: string;
  readonly ref: string;
  readonly status: TaskStatus;
  readonly failure_code: string | null;
  readonly vendor_task_id: string | null;
  readonly events: number;
  readonly callback_state: string | null;
  readonly stop_reason: string | null;
  readonly sha256: string | null;
  readonly exposures: readonly string[];
}

/** A task as the vendor has it. `safety_identifier` is the id of ours that it was created for. */
export interface VendorTask {
  readonly id: string;
  readonly safety_identifier?: string;
  readonly status: string;
  readonly content?: { readonly video_url?: string };
}

/**
 * Everything that is known when all is calm: what customers were told, what they see now, what the
 * books and the vendor say.
 */
export interface Evidence {
  readonly stack: Stack;
  readonly customers: readonly StackCustomer[];
  readonly textCustomer: StackCustomer;
  readonly experiences: readonly Experience[];
  readonly texts: readonly TextExperience[];
  readonly arrivals: readonly Arrival[];
  readonly tasks: readonly StoredTask[];
  readonly vendorTasks: readonly VendorTask[];
  /** What GET returns now, by task id. */
  readonly resources: ReadonlyMap<string, VideoResource>;
}

const tasksSql = `
  SELECT t.id, t.account_id, t.request->'metadata'->>'ref' AS ref, t.status, t.failure_code, t.vendor_task_id, t.event_sequence AS events,
    c.state AS callback_state, c.stop_reason, m.sha256,
    coalesce((SELECT array_agg(x.kind) FROM exposure x WHERE x.task_id = t.id), '{}') AS exposures
  FROM task t LEFT JOIN callback c ON c.task_id = t.id LEFT JOIN media m ON m.task_id = t.id AND m.variant = 'content'
  ORDER BY t.id`;

export async function readTasks({ pool }: Database): Promise<StoredTask[]> {
  return (await pool.query<StoredTask>(tasksSql)).rows;
}

export async function readVendorTasks(sandboxUrl: string): Promise<VendorTask[]> {
  return ((await (await fetch(`${sandboxUrl}/control/tasks`)).json()) as { tasks: VendorTask[] })
    .tasks;
}

/** Asks for every task as its customer. */
export async function readResources(
  tasks: readonly StoredTask[],
  { baseUrl, customers }: { baseUrl: string; customers: readonly StackCustomer[] },
): Promise<Map<string, VideoResource>> {
  const keys = new Map(customers.map(({ accountId, apiKey }) => [accountId, apiKey]));
  const resources = new Map<string, VideoResource>();
  await inParallel(tasks, async ({ id, account_id: accountId }) => {
    const response = await call({
      method: 'GET',
      url: `${baseUrl}/v1/videos/${id}`,
      apiKey: keys.get(accountId) ?? '',
    });
    if (response.kind === 'responded' && response.status === 200) {
      resources.set(id, response.body as VideoResource);
    }
  });
  return resources;
}

const lanes = 8;

export async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = [...items];
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}
