import { createHash } from 'node:crypto';
import type { Task } from '@gateway/contracts';
import { GatewayError, isId } from '@gateway/domain';
import type { MediaRecord, TaskReads } from '@gateway/store';

/** What a receipt states about one video. */
export interface ReceiptStatement {
  readonly version: 1;
  /** The gateway that states it. */
  readonly issuer: string;
  readonly video: string;
  readonly model: string;
  readonly files: readonly {
    readonly kind: 'video' | 'last_frame';
    readonly sha256: string;
    readonly size_bytes: number;
    readonly content_type: string;
  }[];
  readonly duration: number;
  readonly resolution: string;
  readonly ratio: string;
  /** SHA-256 of the prompt as it was sent, in UTF-8; null where the prompt was not kept. */
  readonly prompt_sha256: string | null;
  readonly created_at: string;
  readonly started_at: string | null;
  readonly completed_at: string;
  readonly billed_quota: number;
}

export interface IssueReceiptPorts<Signed> {
  readonly findTask: TaskReads['findOrArchived'];
  readonly findMedia: TaskReads['findMedia'];
  /** Undefined where the operator has set no keys. */
  readonly sign: ((statement: ReceiptStatement) => Signed) | undefined;
  readonly issuer: string;
}

/** A statement that anybody can check, with its signature. */
export type Receipt<Signed> = Signed & { readonly statement: ReceiptStatement };

export type IssueReceipt<Signed> = (taskId: string, accountId: string) => Promise<Receipt<Signed>>;

/**
 * The receipt of a finished video. It says what is on record, so that it is the same whenever it is
 * asked for; also once the files are gone. Throws task_not_found or receipt_unavailable.
 */
export function createIssueReceipt<Signed extends object>({
  findTask,
  findMedia,
  sign,
  issuer,
}: IssueReceiptPorts<Signed>): IssueReceipt<Signed> {
  return async (taskId, accountId) => {
    if (sign === undefined) {
      throw unavailable('this gateway signs no receipts: its operator has set no RECEIPT_KEYS');
    }
    const task = isId('task', taskId) ? await findTask(taskId, accountId) : undefined;
    if (task === undefined) {
      throw new GatewayError('task_not_found', 'there is no such task in this account');
    }
    const video = task.status === 'succeeded' ? await findMedia(taskId, 'content') : undefined;
    if (video === undefined || video === null) {
      throw unavailable(`the video is ${task.status}: there are receipts of succeeded ones only`);
    }
    const lastFrame = await findMedia(taskId, 'last-frame');
    const statement = statementOf(task, {
      issuer,
      files: [video, ...(lastFrame ? [lastFrame] : [])],
    });
    return { statement, ...sign(statement) };
  };
}

const unavailable = (message: string): GatewayError =>
  new GatewayError('receipt_unavailable', message);

/** What is on record about a video that has succeeded. */
function statementOf(
  { id, model, request, result, billed, createdAt, startedAt, completedAt }: Task,
  { issuer, files }: { readonly issuer: string; readonly files: readonly MediaRecord[] },
): ReceiptStatement {
  const { seconds, quota } = billed ?? { seconds: request.duration, quota: 0 };
  const { resolution, ratio } = result ?? request;
  return {
    version: 1,
    issuer,
    video: id,
    model,
    files: files.map(({ variant, sha256, sizeBytes, contentType }) => ({
      kind: variant === 'content' ? 'video' : 'last_frame',
      sha256,
      size_bytes: sizeBytes,
      content_type: contentType,
    })),
    duration: seconds,
    resolution,
    ratio,
    prompt_sha256:
      request.isErased === true
        ? null
        : createHash('sha256').update(request.prompt, 'utf8').digest('hex'),
    created_at: createdAt.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    completed_at: (completedAt ?? createdAt).toISOString(),
    billed_quota: quota,
  };
}
