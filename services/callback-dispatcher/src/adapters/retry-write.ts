/**
 * Waits before the second, third … try, in milliseconds: long enough for a connection that broke,
 * or a failover that is quick.
 */
export const retryWriteAfterMs = [100, 300, 1_000, 3_000] as const;

export interface RetryWriteOptions {
  readonly afterMs: readonly number[];
  readonly onFailure: (error: unknown) => void;
}

/**
 * Repeats a write that failed; the last failure is thrown. Only for writes that are safe to repeat.
 */
export function retryWrite<Input, Output>(
  write: (input: Input) => Promise<Output>,
  { afterMs, onFailure }: RetryWriteOptions,
): (input: Input) => Promise<Output> {
  return async (input) => {
    for (const waitMs of afterMs) {
      try {
        return await write(input);
      } catch (error) {
        onFailure(error);
        await new Promise((resolve) => {
          setTimeout(resolve, waitMs);
        });
      }
    }
    return write(input);
  };
}
