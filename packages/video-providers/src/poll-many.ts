import { describeResponse, type VendorResponse } from './http.ts';
import type { PollManyOutcome, PollOutcome } from './port.ts';
import { known, readRecord, readVendorTaskId, type UncheckedRecord } from './vendor-value.ts';

/**
 * Usual servers and proxies take 8,192 characters of a request line; the method, the path before
 * the query and the version need some too.
 */
const maxQueryCharacters = 7_800;

/** As many of the ids as a query holds, each as `write` has it, and the query. */
export function queryOfIds(
  ids: readonly string[],
  { start, maxIds, write }: { start: string; maxIds: number; write: (id: string) => string },
): { readonly query: string; readonly asked: readonly string[] } {
  let query = start;
  const asked: string[] = [];
  for (const id of ids.slice(0, maxIds)) {
    const more = write(encodeURIComponent(id));
    if (query.length + more.length > maxQueryCharacters) break;
    query += more;
    asked.push(id);
  }
  return { query, asked };
}

interface ManyTasks {
  /** The tasks of the response; undefined for one that holds no list. */
  readonly items: readonly unknown[] | undefined;
  readonly asked: readonly string[];
  readonly readTask: (task: UncheckedRecord, vendorTaskId: string) => PollOutcome | undefined;
}

/**
 * A list that was asked for certain ids. Other tasks, and items that cannot be read, say nothing;
 * neither does the absence of a task.
 */
export function readManyTasks(
  response: VendorResponse,
  { items, asked, readTask }: ManyTasks,
): PollManyOutcome {
  if (items === undefined) {
    return {
      kind: 'error',
      detail: describeResponse(response),
      ...known({ retryAfterMs: response.retryAfterMs }),
    };
  }
  const outcomes = new Map<string, PollOutcome>();
  for (const item of items) {
    const task = readRecord(item);
    const id = readVendorTaskId(task?.['id']);
    const outcome =
      task === undefined || id === undefined || !asked.includes(id)
        ? undefined
        : readTask(task, id);
    if (id !== undefined && outcome !== undefined) outcomes.set(id, outcome);
  }
  return { kind: 'answered', asked: asked.length, outcomes };
}
