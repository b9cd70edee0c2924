import { expect } from '@jest/globals';

/** Waits until something is true, for half a minute at most. */
export async function eventually(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!isTrue() && Date.now() < deadline) await new Promise(setImmediate);
  expect(isTrue()).toBe(true);
}
