import { hashOfKey, type Accounts, type KeyRecord } from '@gateway/store';

/** Finds the record of a key in the database. */
export type ReadKey = (apiKey: string) => Promise<KeyRecord | undefined>;

interface Waiting {
  readonly apiKey: string;
  readonly resolve: (record: KeyRecord | undefined) => void;
  readonly reject: (error: unknown) => void;
}

const mostAtOnce = 500;
/** One slow statement does not keep the others waiting. */
const statementsAtOnce = 4;

/**
 * Looks keys up together that are asked for in one turn of the event loop, or while all statements
 * are out: the slower the database, the more go in one.
 */
export function createKeyReads({ findKeysByHash }: Pick<Accounts, 'findKeysByHash'>): ReadKey {
  const waiting: Waiting[] = [];
  let statements = 0;
  let isDue = false;
  const sendAll = (): void => {
    isDue = false;
    while (waiting.length > 0 && statements < statementsAtOnce) {
      void send(waiting.splice(0, mostAtOnce));
    }
  };
  const send = async (some: readonly Waiting[]): Promise<void> => {
    statements += 1;
    try {
      const records = await findKeysByHash(some.map(({ apiKey }) => hashOfKey(apiKey)));
      some.forEach(({ resolve }, index) => {
        resolve(records[index]);
      });
    } catch (error) {
      for (const { reject } of some) reject(error);
    }
    statements -= 1;
    sendAll();
  };
  return (apiKey) =>
    new Promise((resolve, reject) => {
      waiting.push({ apiKey, resolve, reject });
      if (isDue) return;
      isDue = true;
      setImmediate(sendAll);
    });
}
