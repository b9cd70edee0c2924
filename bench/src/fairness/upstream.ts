import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { canned } from '../text/canned.ts';
import { failingWord } from './attacks.ts';

export interface Upstream {
  readonly url: string;
  stop(): Promise<void>;
}

/** A vendor of the messages dialect that fails at whatever holds the failing word, and only then. */
export async function startUpstream(model: string): Promise<Upstream> {
  const { completion } = canned.messages(model);
  const failure = JSON.stringify({
    type: 'error',
    error: { type: 'api_error', message: 'Internal server error' },
  });
  const server = createServer((request, response) => {
    let fails = false;
    request.on('data', (chunk: Buffer) => {
      fails ||= chunk.includes(failingWord);
    });
    request.once('end', () => {
      response.writeHead(fails ? 500 : 200, { 'content-type': 'application/json' });
      response.end(fails ? failure : completion);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          resolve();
        });
      }),
  };
}
