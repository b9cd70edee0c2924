import { runAs } from '@gateway/runtime';
import type { BatchedScript } from './batch-script.ts';

/** One decision of a batched script, about one key. */
export interface BatchedCall {
  readonly script: BatchedScript;
  readonly key: string;
  readonly values: readonly (string | number)[];
}

/** One trip to Redis with all of these; resolves with what each returned, or why it failed. */
export type SendBatch = (calls: readonly BatchedCall[]) => Promise<readonly unknown[]>;

interface Due {
  readonly call: BatchedCall;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Decisions in one trip: none holds Redis up for long. */
const mostAtOnce = 64;

/**
 * Sends what many requests ask of Redis in one turn of the event loop together, in the order in
 * which it was asked. A decision that fails fails alone; a trip that fails, fails all of its own.
 */
export function createScriptBatches(send: SendBatch): (call: BatchedCall) => Promise<unknown> {
  let due: Due[] = [];
  const flush = (): void => {
    const all = due;
    due = [];
    for (let at = 0; at < all.length; at += mostAtOnce) sendSome(all.slice(at, at + mostAtOnce));
  };
  const sendSome = (some: readonly Due[]): void => {
    send(some.map(({ call }) => call)).then(
      (results) => {
        some.forEach((each, index) => {
          settle(each, results[index]);
        });
      },
      (error: unknown) => {
        for (const { reject } of some) reject(error);
      },
    );
  };
  return (call) =>
    new Promise((resolve, reject) => {
      // Whoever comes first must not lend its trace to the others.
      if (due.length === 0) setImmediate(runAs, undefined, flush);
      due.push({ call, resolve, reject });
    });
}

function settle({ resolve, reject }: Due, result: unknown): void {
  if (result instanceof Error) reject(result);
  else if (result === undefined || result === null) reject(new Error('redis returned nothing'));
  else resolve(result);
}
