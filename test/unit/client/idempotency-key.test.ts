import { describe, expect, it } from '@jest/globals';
import { GatewayClient, GatewayError } from '@gateway/client';

const request = { model: 'sandbox-video', prompt: 'a boat' };
const asked: (string | null)[] = [];
const client = new GatewayClient({
  baseUrl: 'http://gateway.test',
  apiKey: 'key',
  fetch: (_address, init) => {
    asked.push(new Headers(init?.headers).get('idempotency-key'));
    return Promise.resolve(Response.json({ id: 'video_1' }));
  },
});

describe('the idempotency key of a creation', () => {
  it.each(['', 'boat ⛵', 'Boot für zwei', 'a\nb', 'x'.repeat(256)])(
    'cannot be %j: nothing is sent',
    async (idempotencyKey) => {
      asked.length = 0;
      const refused = await client.videos
        .create(request, { idempotencyKey })
        .catch((e: unknown) => e);

      expect(refused).toBeInstanceOf(GatewayError);
      expect(refused).toMatchObject({
        name: 'GatewayError',
        message: expect.stringContaining('printable ASCII'),
      });
      expect(asked).toEqual([]);
    },
  );

  it('can be any other', async () => {
    asked.length = 0;
    await client.videos.create(request, { idempotencyKey: 'boat 1: "the first"' });

    expect(asked).toEqual(['boat 1: "the first"']);
  });
});
