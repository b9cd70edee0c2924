import { runWith, runWithout, type LogContext } from '../tracing/context.ts';

/**
 * A listener whose exceptions are its owner's: nobody else catches what the listener of a parser, a
 * stream or a timer throws.
 */
export const guarded =
  <Arguments extends unknown[]>(
    fail: (error: unknown) => void,
    listener: (...args: Arguments) => void,
  ) =>
  (...args: Arguments): void => {
    try {
      listener(...args);
    } catch (error) {
      fail(error);
    }
  };

/**
 * Does a part of the work of one request, or of nobody when there is no context, in a loop over
 * many. What it throws ends that request alone, a moment later; the loop goes on.
 */
export function runAs(context: LogContext | undefined, work: () => void): void {
  try {
    if (context === undefined) runWithout(work);
    else runWith(context, work);
  } catch (error) {
    const throwIt = (): void => {
      throw error;
    };
    if (context === undefined) runWithout(() => setImmediate(throwIt));
    else runWith(context, () => setImmediate(throwIt));
  }
}
