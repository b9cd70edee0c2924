import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHealth, createHttpApp, createMetrics } from '@gateway/runtime';
import { recordingLog } from '@gateway/testing';

let server: Server;
let url: string;
beforeEach(async () => {
  const app = createHttpApp({
    log: recordingLog(),
    metrics: createMetrics('test'),
    health: createHealth({}),
    routes: (to) => {
      to.get('/plain', (_request, response) => {
        response.json({ a: 1 });
      });
      to.get('/tagged', (_request, response) => {
        response.set('etag', '"one"').json({ a: 1 });
      });
    },
  });
  server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Without a word of its own, fetch asks for no copy. */
const ask = (path: string, tag: string): Promise<Response> =>
  fetch(`${url}${path}`, { headers: { 'if-none-match': tag, 'cache-control': 'max-age=0' } });

describe('If-None-Match', () => {
  it.each(['*', '"one"'])('%s gets the whole response where there is no ETag', async (tag) => {
    const response = await ask('/plain', tag);

    expect([response.status, await response.json()]).toEqual([200, { a: 1 }]);
  });

  it('gets a 304 for the ETag that the response has', async () => {
    const response = await ask('/tagged', '"one"');

    expect(response.status).toBe(304);
  });
});
