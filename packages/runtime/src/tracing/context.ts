import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './span.ts';

/** A request or a job, as what an exception that nobody catches ends. */
export interface FaultScope {
  readonly where: 'request' | 'job';
  /** Ends it with this error; does nothing when it is over. */
  fail(error: unknown): void;
  /** Whose it is, as far as known by now. */
  account(): string | undefined;
}

/** Fields that every log line of one request or one job attempt carries. */
export interface LogContext {
  readonly requestId: string;
  readonly taskId?: string;
  readonly batchId?: string;
  readonly queue?: string;
  /** The step of a trace that is under way; its ids are in each line. */
  readonly span?: Span;
  /** What ends when code that runs for it throws where nobody catches. */
  readonly scope?: FaultScope;
}

const storage = new AsyncLocalStorage<LogContext | undefined>();

/**
 * Entered in three places only: the HTTP middleware, the job processor, and where the response about
 * many tasks is taken apart.
 */
export const runWith = <R>(context: LogContext, body: () => R): R => storage.run(context, body);
/** Whoever asked for the work lends it nothing. Costs nothing where there is no context. */
export const runWithout = <R>(body: () => R): R => storage.run(undefined, body);
export const currentContext = (): LogContext | undefined => storage.getStore();
