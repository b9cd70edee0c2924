import { AsyncLocalStorage } from 'node:async_hooks';

/** Fields that every log line of one request or one job attempt carries. */
export interface LogContext {
  readonly requestId: string;
  readonly taskId?: string;
  readonly batchId?: string;
  readonly queue?: string;
}

const storage = new AsyncLocalStorage<LogContext>();

/** Entered in two places only: the HTTP middleware and the job processor. */
export const runWith = <R>(context: LogContext, body: () => R): R => storage.run(context, body);
export const currentContext = (): LogContext | undefined => storage.getStore();
