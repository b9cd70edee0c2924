import { createTurns, type Waiting } from './turns.ts';

/** Work on large bodies that is done where it is, and takes milliseconds. */
export interface Steps {
  /** Does the work when it is the account's turn. Rejects with what it throws. */
  run<Value>(accountId: string, work: () => Value | Promise<Value>): Promise<Value>;
}

interface Step extends Waiting {
  work(): void;
}

/**
 * One step in each turn of the event loop, accounts in turn: streams wait for one of them at most,
 * however many bodies there are.
 */
export function createSteps(): Steps {
  const turns = createTurns<Step>(1);
  let isDue = false;
  const callNext = (): void => {
    if (isDue || turns.waiting === 0) return;
    isDue = true;
    setImmediate(next);
  };
  const next = (): void => {
    isDue = false;
    const step = turns.take();
    if (step === undefined) return;
    turns.done(step);
    step.work();
    callNext();
  };
  return {
    run(accountId, work) {
      return new Promise((resolve) => {
        // Of a promise of its own, which is rejected with what the work throws.
        const start = (): void => {
          resolve(
            new Promise((settle) => {
              settle(work());
            }),
          );
        };
        turns.add({ accountId, isHeavy: false, work: start });
        callNext();
      });
    },
  };
}
