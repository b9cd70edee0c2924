import type { NewTask } from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import { createBatches, type BatchBounds } from '@gateway/runtime';
import type { IdempotencyClaim, InsertedTask, TaskCreation } from '@gateway/store';

interface Insertion {
  readonly task: NewTask;
  readonly maxActive: number | undefined;
}

const mostAtOnce = 100;

/**
 * Inserts tasks as the store does. Tasks of one account that arrive while its last statement is
 * under way share the next one: each insert locks the account's count until its commit, so one by
 * one they would wait for as many commits. A task with an idempotency key, an asset or a video goes alone.
 * Rejects with `overloaded`, and inserts nothing, when too many of the account wait.
 */
export function createTaskInserter(
  { insertTask, insertTasks }: Pick<TaskCreation, 'insertTask' | 'insertTasks'>,
  bounds: BatchBounds,
): TaskCreation['insertTask'] {
  const insertTogether = createBatches<Insertion, InsertedTask>({
    bounds,
    mostAtOnce,
    refusal: () =>
      new GatewayError(
        'overloaded',
        'too many new videos of this account are waiting; nothing was created, try again',
        { retryAfterMs: 1_000 },
      ),
    async serve(accountId, batch) {
      const insertions = batch.map(({ request }) => request);
      try {
        const outcomes = await insertAll(accountId, insertions);
        for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index]);
      } catch (error) {
        if (batch.length === 1 || !isOfOneTask(error)) throw error;
        for (const {
          request: { task, maxActive },
          resolve,
          reject,
        } of batch) {
          await insertTask(task, undefined, maxActive).then(resolve, reject);
        }
      }
    },
  });
  const insertAll = async (
    accountId: string,
    insertions: readonly Insertion[],
  ): Promise<InsertedTask[]> => {
    const last = insertions.at(-1);
    if (last === undefined) return [];
    if (insertions.length === 1) return [await insertTask(last.task, undefined, last.maxActive)];
    // The limit of the newest configuration applies to all of them.
    return insertTasks(
      accountId,
      insertions.map(({ task }) => task),
      last.maxActive,
    );
  };
  return (task, claim, maxActive) =>
    mustGoAlone(task, claim)
      ? insertTask(task, claim, maxActive)
      : insertTogether(task.accountId, { task, maxActive });
}

const mustGoAlone = (
  { request: { references } }: NewTask,
  claim: IdempotencyClaim | undefined,
): boolean =>
  claim !== undefined ||
  references.some(({ source }) => source.type === 'asset' || source.type === 'task');

/** PostgreSQL refuses one value (SQLSTATE classes 22 and 23): the rest of the batch can go on. */
const isOfOneTask = (error: unknown): boolean =>
  /^2[23]/.test(String((error as { code?: unknown } | null)?.code));
