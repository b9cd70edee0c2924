import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from '@jest/globals';
import express from 'express';
import { sendCsv } from '../../../services/api/src/http/csv.ts';

it('takes a reader who leaves in the middle of a file for no failure', async () => {
  const rows = Array.from({ length: 50_000 }, (_, at) => ({ at, text: 'x'.repeat(100) }));
  const { promise: sent, resolve, reject } = deferred();
  const app = express().get('/', (_request, response) => {
    sendCsv(response, 'report', rows).then(resolve, reject);
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = get(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  await once(response, 'readable');

  client.destroy();

  await expect(sent).resolves.toBeUndefined();
  server.close();
});

function deferred() {
  let resolve!: () => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  return { promise, resolve, reject };
}
