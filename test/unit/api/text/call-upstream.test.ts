import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createDeadlines } from '../../../../services/api/src/text/hot-path/index.ts';
import type { TextRequest } from '../../../../services/api/src/text/request/index.ts';
import { callUpstream } from '../../../../services/api/src/text/upstream/call-upstream.ts';
import {
  createUpstreamConnections,
  type UpstreamConnections,
} from '../../../../services/api/src/text/upstream/connections.ts';
import type {
  CallOutcome,
  UpstreamCall,
} from '../../../../services/api/src/text/upstream/upstream-call.ts';

let server: Server;
let upstreams: UpstreamConnections;
/** What happened to the call, in turn. */
let steps: string[];
const noteSending = (): void => {
  steps.push('sent');
};
beforeEach(async () => {
  steps = [];
  server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  upstreams = createUpstreamConnections(createDeadlines());
  subscribe('undici:client:sendHeaders', noteSending);
});
afterEach(async () => {
  unsubscribe('undici:client:sendHeaders', noteSending);
  await upstreams.close();
  server.closeAllConnections();
  server.close();
});

/** A call of a stream that tells when what its response needs is made, and how it ended. */
function stream(prepare: () => null): Promise<CallOutcome> {
  const { port } = server.address() as AddressInfo;
  const request = { path: { operation: 'create' }, facts: {}, startedMs: 0 };
  const call = {
    provider: {
      kind: 'messages',
      baseUrl: `http://127.0.0.1:${port}`,
      connectTimeoutMs: 60_000,
      firstByteTimeoutMs: 60_000,
      idleTimeoutMs: 60_000,
    },
    route: {},
    carried: { headers: [], query: '' },
    // Its memory is asked for when the engine is chosen.
    rendered: Object.defineProperty({ body: [Buffer.from('{}')] }, 'memory', { get: prepare }),
    wantsStream: true,
  };
  return callUpstream(request as unknown as TextRequest, call as unknown as UpstreamCall, {
    upstreams,
  }).outcome;
}

const prepared = (): null => {
  steps.push('prepared');
  return null;
};

describe('what the stream of a response needs', () => {
  it('is made when the request is on its way, over a connection that was idle', async () => {
    await stream(prepared);
    // Until then the connection is not free.
    await turn();
    steps = [];

    await stream(prepared);

    expect(steps).toEqual(['sent', 'prepared']);
  });

  it('ends its call with an exception that is thrown meanwhile', async () => {
    const outcome = stream(() => {
      throw new Error('a bug');
    });

    await expect(outcome).rejects.toThrow('a bug');
  });
});
