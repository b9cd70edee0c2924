import { eventually } from './eventually.ts';

/**
 * The metrics of a service as they are now: the operations port gives out a text for a moment after
 * it was made, so that the first one may be older than the question.
 */
export async function scrapeAnew(opsUrl: string): Promise<string> {
  const first = await scrape(opsUrl);
  return eventually(
    async () => {
      const text = await scrape(opsUrl);
      if (text === first) throw new Error('still the metrics of before');
      return text;
    },
    { everyMs: 20 },
  );
}

const scrape = async (opsUrl: string): Promise<string> => (await fetch(`${opsUrl}/metrics`)).text();
