import { hashKey, type QueryKey } from '@tanstack/react-query';
import { queries } from './query-client.ts';
import { atMostEvery } from './throttle.ts';

/** Reads what is shown again, however many events come: at once, and then not before this time has passed. */
export function createReadAgain(everyMs: number) {
  const readAgain = atMostEvery<QueryKey>(
    everyMs,
    (queryKey) => queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false }),
    hashKey,
  );
  return {
    readAgain,
    readAgainIfRead(queryKey: QueryKey): void {
      if (queries.getQueryState(queryKey) !== undefined) readAgain(queryKey);
    },
  };
}
