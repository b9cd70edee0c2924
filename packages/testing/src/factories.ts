import type { NewTask, Task } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import {
  createAccounts,
  createHolds,
  createLedger,
  createTaskCreation,
  createTaskReads,
  type Database,
} from '@gateway/store';

/** An account with quota and a callback secret, in the database. */
export async function anAccount(
  database: Database,
  { quota = 10_000, callbackSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } = {},
): Promise<{ id: string; callbackSecret: string }> {
  const id = newId('account');
  await createAccounts(database).create({ id, name: 'Test', callbackSecret });
  if (quota > 0) await createLedger(database).topUp(id, quota, 'test');
  return { id, callbackSecret };
}

/** What the API would write for a five-second video; override what the test is about. */
export function aNewTask(accountId: string, overrides: Partial<NewTask> = {}): NewTask {
  return {
    id: newId('task'),
    accountId,
    keyId: newId('key'),
    requestId: 'req_test',
    model: 'sandbox-video',
    request: {
      prompt: 'a red balloon',
      references: [],
      ratio: '16:9',
      duration: 5,
      resolution: '480p',
      watermark: false,
      seed: null,
      generateAudio: false,
      returnLastFrame: false,
      metadata: {},
      unsupported: [],
    },
    vendor: {
      provider: 'sandbox',
      kind: 'ark',
      baseUrl: 'http://127.0.0.1:9/api/v3',
      credentialId: 'test',
      upstreamModel: 'sandbox-1',
      taskId: null,
    },
    price: { secondQuota: 10, reservedSeconds: 5, maxQuota: 50 },
    callbackUrl: null,
    retentionDays: 30,
    expiresAfterSeconds: 3600,
    ...overrides,
  };
}

/** A queued task with its open hold, in the database. */
export async function aQueuedTask(
  database: Database,
  accountId: string,
  overrides: Partial<NewTask> = {},
): Promise<Task> {
  const draft = aNewTask(accountId, overrides);
  const [decision] = await createHolds(database).take(accountId, [
    {
      task_id: draft.id,
      account_id: accountId,
      quota: draft.price.maxQuota,
      seconds: draft.price.reservedSeconds,
      second_quota: draft.price.secondQuota,
      ...(draft.price.terms !== undefined && { price: draft.price.terms }),
    },
  ]);
  if (decision?.outcome !== 'held') {
    throw new Error(`no hold for the test task: ${decision?.outcome ?? 'no response'}`);
  }
  const task = await createTaskCreation(database).insertTask(draft, undefined);
  if (task === undefined || task === 'full') {
    throw new Error(`the test task was not inserted: ${String(task)}`);
  }
  return task;
}

/** The waiting task with a place at its vendor, as if its turn had come. */
export async function withPlace(database: Database, { id }: Task): Promise<Task> {
  await database.pool.query(
    `UPDATE task SET epoch = epoch + 1, admitted_at = now() WHERE id = $1 AND step = 'submit' AND admitted_at IS NULL`,
    [id],
  );
  const task = await createTaskReads(database).find(id);
  if (task === undefined) throw new Error('the test task is gone');
  return task;
}
