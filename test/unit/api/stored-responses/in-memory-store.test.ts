import { itKeepsTheStoredResponsesContract } from '../../../contracts/stored-responses-contract.ts';
import { createInMemoryResponses } from '../../../contracts/stored-responses-in-memory.ts';

itKeepsTheStoredResponsesContract('memory', () => {
  const { store, reads, rows, age } = createInMemoryResponses();
  return Promise.resolve({
    store,
    reads,
    age(kept, hours) {
      age(kept, hours);
      return Promise.resolve();
    },
    bytesOf: (accountId) =>
      Promise.resolve(
        rows()
          .filter((row) => row.accountId === accountId)
          .reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      ),
    close: () => Promise.resolve(),
  });
});
