import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLeaseCalls } from '../../../services/api/src/adapters/lease-calls.ts';

const request = { replica: 'a', leases: [] };
const none = { leases: [], debtors: [] };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A billing service that responds like this, one after the other, and then in order. */
async function asking(...responses: RequestListener[]) {
  const heard: string[] = [];
  server = createServer((incoming, response) => {
    let body = '';
    incoming.on('data', (piece: Buffer) => {
      body += piece.toString();
    });
    incoming.on('end', () => {
      const { method, url, headers } = incoming;
      heard.push([method, url, headers.authorization, body].join(' '));
      (responses.shift() ?? json(none))(incoming, response);
    });
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = createLeaseCalls({
    baseUrl: `http://127.0.0.1:${port}/billing`,
    headers: { authorization: 'Bearer token' },
    timeoutMs: 2_000,
    retries: 2,
  });
  return { ask, heard };
}

const json =
  (body: unknown): RequestListener =>
  (_incoming, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };
const status =
  (code: number): RequestListener =>
  (_incoming, response) => {
    response.writeHead(code).end('{}');
  };
const broken: RequestListener = (incoming) => {
  incoming.socket.destroy();
};
const silent: RequestListener = () => undefined;
const cutOff: RequestListener = (_incoming, response) => {
  response.writeHead(200, { 'content-length': 100 }).write('{');
};

describe('a call for leases', () => {
  it('says who asks, and resolves with what billing has', async () => {
    const { ask, heard } = await asking(json({ leases: [], debtors: ['acct_a'] }));

    expect(await ask(request)).toEqual({ leases: [], debtors: ['acct_a'] });
    expect(heard).toEqual([
      'POST /billing/internal/leases Bearer token {"replica":"a","leases":[]}',
    ]);
  });

  it.each([
    ['a 502', status(502)],
    ['a 503', status(503)],
    ['a 504', status(504)],
    ['a connection that breaks', broken],
    ['no response in time', silent],
    ['a response that does not go on', cutOff],
  ])('is sent again after %s', async (_what, fault) => {
    const { ask, heard } = await asking(fault);

    expect(await ask(request)).toEqual(none);
    expect(heard).toHaveLength(2);
  });

  it.each([
    ['billing is not available', status(503)],
    ['other side closed', broken],
  ])('gives up after three attempts: %s', async (reason, fault) => {
    const { ask, heard } = await asking(fault, fault, fault);

    await expect(ask(request)).rejects.toThrow(reason);
    expect(heard).toHaveLength(3);
  });

  it.each([
    ['a refusal', status(400), 'billing answered 400'],
    ['an exception of billing', status(500), 'billing answered 500'],
    ['something else', json({ leases: [{}], debtors: [] }), 'something other than leases'],
  ])('is not sent again after %s', async (_what, response, reason) => {
    const { ask, heard } = await asking(response);

    await expect(ask(request)).rejects.toThrow(reason);
    expect(heard).toHaveLength(1);
  });
});
