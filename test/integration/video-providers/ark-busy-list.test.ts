import { describe, expect, it } from '@jest/globals';
import { openPeer } from '@gateway/testing';
// The registry gives no access to the pace of listing, and a test cannot wait a second for each
// page.
import { createArkProvider } from '../../../packages/video-providers/src/ark/provider.ts';

const since = new Date('2026-01-01T12:00:00Z');
const correlation = 'video_wanted';

describe('finding a submission beneath thousands of newer ones', () => {
  /** A vendor that took a task each second, 20,000 of them since, and takes more at each request. */
  const openBusyVendor = async (wantedAtSeconds: number) => {
    let count = 0;
    const busy = await openPeer(({ path }, response) => {
      count += 7;
      const query = new URL(path, 'http://vendor').searchParams;
      const [page, size] = [Number(query.get('page_num')), Number(query.get('page_size'))];
      const items = Array.from({ length: size }, (_, index) => {
        const after = 20_000 + count - ((page - 1) * size + index);
        return {
          id: `cgt-at-${after}`,
          safety_identifier: after === wantedAtSeconds ? correlation : `video_at_${after}`,
          created_at: since.getTime() / 1_000 + after,
        };
      });
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ total: 30_000 + count, items }));
    });
    const { find } = createArkProvider(
      { baseUrl: `${busy.url}/api/v3`, apiKey: 'key-0123456789', timeoutMs: 60_000 },
      { listPauseMs: 0 },
    );
    return { busy, find: () => find!({ correlation, since }, AbortSignal.timeout(60_000)) };
  };

  it.each([
    ['right away', 1],
    ['by a clock that is behind', -299],
    ['minutes after it was given up here', 655],
  ])('finds what the vendor took %s, in few requests', async (_when, seconds) => {
    const { busy, find } = await openBusyVendor(seconds);

    expect(await find()).toEqual({ kind: 'found', vendorTaskId: `cgt-at-${seconds}` });
    expect(busy.received.length).toBeLessThanOrEqual(25);
    await busy.close();
  });

  it('says "none" once it has seen all of that time', async () => {
    const { busy, find } = await openBusyVendor(5_000);

    expect(await find()).toEqual({ kind: 'none' });
    await busy.close();
  });
});
