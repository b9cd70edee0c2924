import type { Log } from '../log.ts';
import { currentContext, type FaultScope } from '../tracing/context.ts';
import { countUnexpected, type FaultPlace } from './count.ts';
import { guarded } from './guarded.ts';
import { isUnexpected } from './is-unexpected.ts';

export interface ExceptionWatchOptions {
  readonly log: Log;
  /**
   * Accounts whose requests or jobs met an exception within a minute, from which on the process
   * ends; 0: it never does for that.
   */
  readonly accountsBeforeRestart: number;
  /** Ends the process in order; called again with every further reason. */
  readonly endProcess: (reason: string) => void;
  readonly nowMs?: () => number;
}

export interface ExceptionWatch {
  /** Ends what the exception belongs to, and nothing else unless the process may be broken. */
  caught(error: unknown): void;
}

const windowMs = 60_000;

/**
 * What becomes of an exception that nobody caught. The request or job whose code threw it ends with
 * it. The process ends, in order, when the exception belongs to neither, when it comes from the
 * inside of a client of the stores, which all requests share, and when the requests of several
 * accounts meet one: never because of what one account sends.
 */
export function watchExceptions({
  log,
  accountsBeforeRestart,
  endProcess,
  nowMs = () => performance.now(),
}: ExceptionWatchOptions): ExceptionWatch {
  const hit = new Map<string, number>();
  const isRepeated = (account: string): boolean => {
    const now = nowMs();
    hit.set(account, now);
    for (const [each, atMs] of hit) if (now - atMs > windowMs) hit.delete(each);
    return accountsBeforeRestart > 0 && hit.size >= accountsBeforeRestart;
  };
  const reasonToEnd = (error: unknown, scope: FaultScope | undefined): string | undefined => {
    // A store that is away breaks nothing in here.
    if (!isUnexpected(error)) return undefined;
    if (isOfStoreClient(error)) return 'an exception inside a client of the stores';
    if (scope === undefined) return 'an exception outside of any request or job';
    return isRepeated(scope.account() ?? scope.where)
      ? 'exceptions in the requests or jobs of several accounts'
      : undefined;
  };
  return {
    caught(error) {
      const scope = currentContext()?.scope;
      const where: FaultPlace = scope?.where ?? 'background';
      countUnexpected(where);
      log.error('unexpected exception', { where, error });
      guarded(
        (failed) => {
          log.error('a request or job could not be ended', { error: failed });
          endProcess('an exception while one was being handled');
        },
        () => scope?.fail(error),
      )();
      const reason = reasonToEnd(error, scope);
      if (reason !== undefined) endProcess(reason);
    },
  };
}

/** Where packages stand whose objects are shared by all requests. */
const ofStoreClient =
  /node_modules[\\/](?:pg|pg-pool|pg-protocol|@prisma[\\/][\w-]+|ioredis|bullmq)[\\/]/;

/** Whether the code that threw, the topmost that is not Node's own, belongs to such a package. */
function isOfStoreClient(error: unknown): boolean {
  const stack = (error as { stack?: unknown } | null)?.stack;
  if (typeof stack !== 'string') return false;
  const thrower = stack.split('\n').find((line) => /^\s+at /.test(line) && !line.includes('node:'));
  return thrower !== undefined && ofStoreClient.test(thrower);
}
