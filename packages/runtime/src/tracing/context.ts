import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span.ts';

/** Fields that every log line of one request or one job attempt carries. */
export interface LogContext {
  readonly requestId: string;
  readonly taskId?: string;
  readonly batchId?: string;
  readonly queue?: string;
  /** The step of a trace that is under way; its ids are in each line. */
  readonly span?: Span;
}

const storage = new AsyncLocalStorage<LogContext>();

/**
 * Entered in three places only: the HTTP middleware, the job processor, and where the answer about
 * many tasks is taken apart.
 */
export const runWith = <R>(context: LogContext, body: () => R): R => storage.run(context, body);
export const currentContext = (): LogContext | undefined => storage.getStore();
