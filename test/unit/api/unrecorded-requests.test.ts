import { describe, expect, it } from '@jest/globals';
import { createUnrecordedRequests } from '../../../services/api/src/text/record/index.ts';

describe('requests that are not recorded yet', () => {
  it('are waited for, all of them', async () => {
    const requests = createUnrecordedRequests();
    requests.begin();
    requests.begin();
    let left: number | undefined;
    const waited = requests.wait(60_000).then((count) => {
      left = count;
    });

    requests.recorded();
    await Promise.resolve();
    expect(left).toBeUndefined();
    requests.recorded();

    await waited;
    expect(left).toBe(0);
  });

  it('are waited for no longer than said, and counted', async () => {
    const requests = createUnrecordedRequests();
    requests.begin();

    expect(await requests.wait(5)).toBe(1);
  });

  it('are not waited for when there are none', async () => {
    expect(await createUnrecordedRequests().wait(60_000)).toBe(0);
  });
});
