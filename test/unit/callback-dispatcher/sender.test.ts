import { setMaxListeners } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createOutboundClient,
  parseCidrs,
  type OutboundClient,
  type PostRequest,
} from '@gateway/outbound';
import { eventually, openPeer, type Peer } from '@gateway/testing';
import { createSender } from '../../../services/callback-dispatcher/src/adapters/sender.ts';

const client = createOutboundClient({
  allowCidrs: parseCidrs('127.0.0.1/32'),
  allowHttp: true,
  userAgent: 'test',
});
let peer: Peer;
afterEach(() => peer.close());

const send = (timeoutMs: number, ending = new AbortController().signal) =>
  createSender({ client, timeoutMs })({
    url: peer.url,
    headers: {},
    body: Buffer.from('{}'),
    maxBytes: 1_024,
    ending,
  });

describe('sending to a receiver', () => {
  it('ends after the time of a whole attempt when no response comes', async () => {
    peer = await openPeer(() => undefined);

    await expect(send(200)).resolves.toMatchObject({
      kind: 'failed',
      class: expect.stringMatching(/^timeout_/),
    });
  });

  it('leaves the receiver nearly the whole attempt to respond, whatever the bound is', async () => {
    peer = await openPeer(() => undefined);
    const asked: PostRequest[] = [];
    const post: OutboundClient['post'] = (request) => {
      asked.push(request);
      return client.post({ ...request, timeouts: { totalMs: 1 } });
    };

    await createSender({ client: { post }, timeoutMs: 30_000 })({
      url: peer.url,
      headers: {},
      body: Buffer.from('{}'),
      maxBytes: 7,
      ending: new AbortController().signal,
    });

    expect(asked).toMatchObject([
      {
        maxResponseBytes: 7,
        timeouts: {
          lookupMs: 2_000,
          connectMs: 3_000,
          tlsMs: 5_000,
          responseMs: 27_000,
          totalMs: 30_000,
        },
      },
    ]);
  });

  it('gives an attempt up when the process can wait no longer', async () => {
    const ending = new AbortController();
    peer = await openPeer(() => undefined);

    const outcome = send(60_000, ending.signal);
    await eventually(() => {
      expect(peer.received).toHaveLength(1);
    });
    ending.abort();

    await expect(outcome).resolves.toEqual({ kind: 'interrupted' });
  });

  it('leaves nothing behind on the signal that all attempts of a process share', async () => {
    const ending = new AbortController();
    setMaxListeners(0, ending.signal);
    peer = await openPeer((_received, response) => {
      response.end();
    });
    let listeners = 0;
    const add = ending.signal.addEventListener.bind(ending.signal);
    const remove = ending.signal.removeEventListener.bind(ending.signal);
    ending.signal.addEventListener = (...parameters: Parameters<typeof add>) => {
      listeners += 1;
      add(...parameters);
    };
    ending.signal.removeEventListener = (...parameters: Parameters<typeof remove>) => {
      listeners -= 1;
      remove(...parameters);
    };

    await Promise.all(Array.from({ length: 20 }, () => send(5_000, ending.signal)));

    expect(listeners).toBe(0);
  });
});
