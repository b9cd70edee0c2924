import { expect } from '@jest/globals';
import type { Consumer, ConsumerOptions, Producer } from '@gateway/queue';
import { newId } from '@gateway/runtime';
import { eventually, type recordingLog } from '@gateway/testing';

export type TestLog = ReturnType<typeof recordingLog>;

/** Queues of their own, and a look at them behind their backs. */
export interface QueueDeployment {
  /** A producer whose connection is up. */
  producer(): Promise<{ readonly producer: Producer; readonly log: TestLog }>;
  /** A consumer that is running. */
  consumer(
    options?: Partial<ConsumerOptions>,
  ): Promise<{ readonly consumer: Consumer; readonly log: TestLog }>;
  /** What FLUSHALL does. */
  flush(): Promise<void>;
  /** Ids of jobs that live: waiting, delayed or active. */
  liveJobs(queue: string): Promise<string[]>;
  /** How many of them are delayed. */
  delayedJobs(queue: string): Promise<number>;
  close(): Promise<void>;
}

export const aTaskId = (): string => newId('task');

/** A promise, and what settles it. */
export function aGate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    passed,
    open: () => {
      open();
    },
  };
}

/** Waits until the list holds exactly this. */
export const eventuallyEqual = async (list: () => unknown, expected: unknown): Promise<void> => {
  await eventually(() => {
    expect(list()).toEqual(expected);
  });
};
