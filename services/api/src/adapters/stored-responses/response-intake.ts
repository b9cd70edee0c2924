import { setImmediate as nextTurn } from 'node:timers/promises';
import { describeError } from '@gateway/domain';
import type { NewStoredResponse } from '@gateway/store';
import { createAccountRates } from './account-rates.ts';
import type { NotKept } from './metrics.ts';
import type { ResponseQueue } from './response-queue.ts';
import { writeResponse, type KeptResponse } from './write-response.ts';

export interface ResponseIntakeOptions {
  readonly queue: ResponseQueue;
  readonly maxBytes: number;
  readonly taken: () => void;
  readonly refused: (response: KeptResponse, reason: NotKept, error?: string) => void;
}

/** From a finished response to its rows in the queue. */
export interface ResponseIntake {
  take(response: KeptResponse): void;
  /** Resolves when the responses of this account, or of all, are in the queue or refused. */
  settled(accountId?: string): Promise<void>;
}

type Written = NewStoredResponse | 'too_large';

/** Storing takes time from all requests, so an account has a share of it. */
const accountRate = { bytesPerSecond: 8_388_608, burstBytes: 16_777_216 };
/** Large responses whose JSON is being written: they are held as the objects that they came as. */
const mostUnderWay = { ofAccount: 4, inAll: 16 };

/**
 * The JSON of a large response is written in slices, one a turn of the event loop and one response
 * after the other. An account that is over its rate, and a queue without a place, cost nothing but
 * the question; the size of a response is known once it is written, for which its account is
 * charged in any case.
 */
export function createResponseIntake(options: ResponseIntakeOptions): ResponseIntake {
  const { queue, maxBytes, taken, refused } = options;
  const rates = createAccountRates({ ...accountRate, nowMs: () => performance.now() });
  const { start, settled } = createTurns();

  const conclude = (response: KeptResponse, written: Written): void => {
    rates.charge(response.accountId, written === 'too_large' ? maxBytes : written.sizeBytes);
    if (written === 'too_large') refused(response, 'too_large');
    else if (queue.isFull(response.accountId)) refused(response, 'queue_full');
    else if (queue.add(written)) taken();
  };
  const fail = (response: KeptResponse, error: unknown): void => {
    refused(response, 'failed', describeError(error));
  };
  const write = (response: KeptResponse): void => {
    const writing = writeResponse(response, maxBytes);
    const first = writing.next();
    if (first.done === true) {
      conclude(response, first.value);
      return;
    }
    const isStarted = start(response.accountId, async () => {
      try {
        conclude(response, await writeRest(writing));
      } catch (error) {
        fail(response, error);
      }
    });
    if (!isStarted) refused(response, 'queue_full');
  };
  return {
    take(response) {
      const { accountId } = response;
      if (!rates.mayGoOn(accountId)) refused(response, 'account_rate');
      else if (queue.isFull(accountId)) refused(response, 'queue_full');
      else {
        try {
          write(response);
        } catch (error) {
          fail(response, error);
        }
      }
    },
    settled,
  };
}

/** Work that never rejects, one after the other; false when too much of it waits. */
function createTurns(): Pick<ResponseIntake, 'settled'> & {
  start(accountId: string, work: () => Promise<void>): boolean;
} {
  const underWay = new Map<string, Set<Promise<void>>>();
  let count = 0;
  let last = Promise.resolve();
  return {
    start(accountId, work) {
      const ofAccount = underWay.get(accountId) ?? new Set();
      if (ofAccount.size >= mostUnderWay.ofAccount || count >= mostUnderWay.inAll) return false;
      const done: Promise<void> = last.then(work).then(() => {
        count -= 1;
        ofAccount.delete(done);
        if (ofAccount.size === 0) underWay.delete(accountId);
      });
      count += 1;
      ofAccount.add(done);
      underWay.set(accountId, ofAccount);
      last = done;
      return true;
    },
    async settled(accountId) {
      if (accountId === undefined) await last;
      else await Promise.all([...(underWay.get(accountId) ?? [])]);
    },
  };
}

async function writeRest(writing: Generator<undefined, Written>): Promise<Written> {
  for (;;) {
    await nextTurn();
    const next = writing.next();
    if (next.done === true) return next.value;
  }
}
