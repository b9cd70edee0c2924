import { expect, it } from '@jest/globals';
import { GatewayClient } from '@gateway/client';

it('a client with a wrong address fails at once and leaves no timer that keeps its program alive', async () => {
  const timers = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();

  await expect(new GatewayClient({ baseUrl: 'localhost', apiKey: 'x' }).balance()).rejects.toThrow(
    'Invalid URL',
  );

  expect(timers()).toBe(before);
});
