import type { NewTask, Task } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import { failureOf } from '@gateway/runtime';
import type { IdempotencyClaim, InsertedTask, TaskCreation, TaskReads } from '@gateway/store';
import { checks, type Patience } from './checks.ts';

export interface InsertVideoPorts {
  readonly tasks: Pick<TaskCreation, 'dropKey' | 'insertTask'> & Pick<TaskReads, 'findForAccount'>;
  /**
   * Gives back the hold of a task that will not be created; true when there is no such task and
   * never will be.
   */
  readonly releaseHold: (taskId: string) => Promise<boolean>;
  /** Removes what was stored for a task that will not be created; never rejects. */
  readonly removeReferences: (task: Pick<NewTask, 'id' | 'request'>) => Promise<void>;
  /** Unfinished videos that an account may have. */
  readonly maxActive: number;
  /** How long the database is asked what became of a task whose insert got no response. */
  readonly patience: Patience;
}

/**
 * Inserts the task as the store does, and finds out what became of it when the store fell silent or
 * the connection broke: by the task's id the database is asked again, for a while. Throws
 * `upstream_unavailable` or `overloaded` when nothing was created and never will be, and
 * `outcome_unknown` when nobody can tell.
 */
export async function insertVideo(
  ports: InsertVideoPorts,
  draft: NewTask,
  claim: IdempotencyClaim | undefined,
): Promise<InsertedTask> {
  try {
    return await ports.tasks.insertTask(draft, claim, ports.maxActive);
  } catch (error) {
    if (GatewayError.is(error)) {
      if (await ports.releaseHold(draft.id)) await leaveNothing(ports, draft, claim);
      throw error;
    }
    if (!isStoreAway(error)) throw error;
    return askWhatBecame(ports, draft, { claim, cause: error });
  }
}

/** A statement that failed for this reason may have been done all the same. */
export const isStoreAway = (error: unknown): boolean =>
  !GatewayError.is(error) && failureOf(error).code === 'upstream_unavailable';

/**
 * The task is there, or its hold can be given back: that waits for an insert that is still under
 * way, and afterwards none can succeed.
 */
async function askWhatBecame(
  ports: InsertVideoPorts,
  draft: NewTask,
  { claim, cause }: { readonly claim: IdempotencyClaim | undefined; readonly cause: unknown },
): Promise<Task> {
  for await (const { isNudge } of checks(ports.patience)) {
    const found = await askFor(ports, draft);
    if (found.task !== undefined) return found.task;
    if (found.hasResponse && isNudge && (await ports.releaseHold(draft.id))) {
      await leaveNothing(ports, draft, claim);
      throw new GatewayError(
        'upstream_unavailable',
        'the database did not respond in time; nothing was created and nothing is reserved, try again',
        { retryAfterMs: 1_000, cause },
      );
    }
  }
  throw outcomeUnknown(draft.id, claim, cause);
}

async function askFor(
  { tasks }: InsertVideoPorts,
  { id, accountId }: NewTask,
): Promise<{ readonly hasResponse: boolean; readonly task?: Task | undefined }> {
  try {
    return { hasResponse: true, task: await tasks.findForAccount(id, accountId) };
  } catch (error) {
    if (!isStoreAway(error)) throw error;
    return { hasResponse: false };
  }
}

/** A key that cannot be dropped now names a task that never was, and is taken over by its repetition. */
async function leaveNothing(
  { tasks, removeReferences }: InsertVideoPorts,
  draft: NewTask,
  claim: IdempotencyClaim | undefined,
): Promise<void> {
  await removeReferences(draft);
  if (claim === undefined) return;
  await tasks.dropKey(claim, draft.id).catch((error: unknown) => {
    if (!isStoreAway(error)) throw error;
  });
}

function outcomeUnknown(
  taskId: string,
  claim: IdempotencyClaim | undefined,
  cause: unknown,
): GatewayError {
  const what = `the database did not respond in time, and it is not known whether the video ${taskId} was created`;
  return claim === undefined
    ? new GatewayError(
        'outcome_unknown',
        `${what}: see GET /v1/videos/${taskId} before you ask again, and send an Idempotency-Key to be able to repeat a request`,
        { headers: { 'x-should-retry': 'false' }, cause },
      )
    : new GatewayError(
        'outcome_unknown',
        `${what}: repeat the request with the same Idempotency-Key, which never makes a second video`,
        { retryAfterMs: 5_000, cause },
      );
}
