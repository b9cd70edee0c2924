import { checks, type Patience } from './checks.ts';
import { isStoreAway } from './insert-video.ts';

export interface Insisted<Value> {
  readonly value: Value;
  /** An earlier attempt got no response, and may have been done. */
  readonly isRepeated: boolean;
}

/**
 * Sends a statement that may be repeated, again while the store is away and patience lasts: what
 * became of one without a response shows in what the next one finds. Rejects with the last failure.
 */
export async function insist<Value>(
  statement: () => Promise<Value>,
  patience: Patience,
): Promise<Insisted<Value>> {
  let failure: unknown;
  let isRepeated = false;
  for await (const _check of checks(patience)) {
    try {
      return { value: await statement(), isRepeated };
    } catch (error) {
      if (!isStoreAway(error)) throw error;
      failure = error;
      isRepeated = true;
    }
  }
  throw failure;
}
