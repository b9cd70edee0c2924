import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { Downstream } from '../../../../services/api/src/text/downstream.ts';
import type { Exchange } from '../../../../services/api/src/text/exchange.ts';
import { sendWhole } from '../../../../services/api/src/text/send.ts';

/** Answers one request by `send`, in a promise as the lane does; tells what the client read, and what still waited for the next tick right afterwards. */
async function answered(send: (exchange: Exchange) => void): Promise<{ text: string; isHeldBack: boolean | undefined }> {
  let isHeldBack: boolean | undefined;
  const answer = async (response: ServerResponse): Promise<void> => {
    await Promise.resolve();
    send({ response, headers: ['x-request-id', 'req_x'], startedMs: 0 } as unknown as Exchange);
    isHeldBack = response.socket !== null && response.socket.writableCorked > 0;
    process.nextTick(() => { response.end(); });
  };
  const server = createServer((_request, response) => { void answer(response); }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return { text: `${response.status} ${response.headers.get('x-request-id')} ${await response.text()}`, isHeldBack };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('an answer on its way', () => {
  it.each([
    ['small and whole', '200 req_x {"text":"é"}', (exchange: Exchange) => { sendWhole(exchange, { status: 200, headers: ['content-type', 'application/json'], body: '{"text":"é"}' }); }],
    ['larger than what goes with its head', `200 req_x ${'é'.repeat(20_000)}`, (exchange: Exchange) => { sendWhole(exchange, { status: 200, headers: [], body: Buffer.from('é'.repeat(20_000)) }); }],
    ['the first bytes of a stream', '200 req_x data: é\n\n', (exchange: Exchange) => {
      const downstream = new Downstream(exchange);
      downstream.open(200, ['content-type', 'text/event-stream']);
      downstream.write(Buffer.from('data: é\n\n'));
      downstream.flush();
    }],
    ['the head of a stream alone', '200 req_x ', (exchange: Exchange) => {
      const downstream = new Downstream(exchange);
      downstream.open(200, ['content-type', 'text/event-stream']);
      downstream.flush();
    }],
  ])('leaves before anything else is done for its request: %s', async (_case, text, send) => {
    await expect(answered(send)).resolves.toEqual({ text, isHeldBack: false });
  });
});
