import type { TaskReads, Work } from '@gateway/store';
import { createBatchPoll } from '../../../services/video-worker/src/use-cases/batch-poll.ts';
import type { RecordBatchPorts } from '../../../services/video-worker/src/use-cases/record-batch.ts';
import type { Producer } from '@gateway/queue';
import { vendorNamed } from './settings.ts';
import type { Footing, Surroundings } from './surroundings.ts';

interface BatchPollParts extends Pick<RecordBatchPorts, 'moves' | 'leaveRoute' | 'clock'> {
  readonly reads: Pick<TaskReads, 'findEvenDeleted'>;
  readonly work: Pick<Work, 'countAtVendor' | 'polledTasks'>;
  readonly producer: Pick<Producer, 'wake'>;
}

/** So few that every task is polled with others; single polls go on beside it. */
const requestsPerSecond = 0.001;

/** Asks each vendor that tells of many tasks at once, one request a round. */
export function pollInBatches(
  { vendors, promised }: Surroundings,
  { life, log }: Footing,
  { reads, work, producer, ...parts }: BatchPollParts,
): void {
  let round = new AbortController();
  const endRound = (): void => {
    round.abort();
  };
  const poll = createBatchPoll({
    ...parts,
    vendorNamed(provider) {
      const vendor = vendors.get(provider);
      if (vendor?.pollsMany !== true) return undefined;
      return {
        vendor: {
          provider: vendor.providerFor(life),
          permitToCreate: () => Promise.resolve({ granted: true }),
          permitToPollMany: () => Promise.resolve({ granted: true }),
          requestsPerSecond,
          pace: promised.pace,
        },
        baseUrl: vendorNamed(provider).baseUrl,
        maxConcurrent: 0,
      };
    },
    liveTasks: work.countAtVendor,
    async polledTasks(vendor, stretch) {
      const page = await work.polledTasks(vendor, stretch);
      // Its own pause between two rounds is one of real time.
      if (page.tasks.length === 0) endRound();
      return page;
    },
    find: reads.findEvenDeleted,
    hurry: ({ id, requestId }) => producer.wake('video.advance', id, { requestId, hurry: true }),
    onResponse(provider, response) {
      endRound();
      if (response.kind === 'error') log.warn('vendor list could not be read', { provider });
    },
  });
  life.every(promised.admitSweepMs, async () => {
    for (const provider of vendors.keys()) {
      round = new AbortController();
      await poll(provider, round.signal);
    }
  });
}
