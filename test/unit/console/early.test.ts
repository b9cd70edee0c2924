import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openPeer, type Peer } from '@gateway/testing';
import {
  askEarly,
  fetchUnlessAsked,
  forgetAsked,
} from '../../../services/console/src/gateway/early.ts';

describe('what the first script asked for before the pages could', () => {
  let peer: Peer;
  let responds: boolean;
  let left: number;
  const session = (): string => `${peer.url}/v1/session`;

  beforeEach(async () => {
    responds = true;
    left = 0;
    peer = await openPeer(async (_received, response) => {
      if (responds) return void response.end('{"object":"session"}');
      await once(response, 'close');
      left += 1;
    });
    Object.assign(globalThis, { window: { location: { origin: peer.url }, fetch } });
  });
  afterEach(async () => {
    forgetAsked();
    Reflect.deleteProperty(globalThis, 'window');
    await peer.close();
  });

  it('is not asked for again, but once', async () => {
    askEarly('/console/videos');

    expect(await (await fetchUnlessAsked(session())).text()).toBe('{"object":"session"}');
    expect(peer.received).toHaveLength(1);
    await (await fetchUnlessAsked(session())).text();
    expect(peer.received).toHaveLength(2);
  });

  it('is given up as soon as whoever waits for it gives up', async () => {
    responds = false;
    askEarly('/console/videos');
    const stop = new AbortController();
    const asked = fetchUnlessAsked(session(), { signal: stop.signal });
    const refused = expect(asked).rejects.toThrow('nobody waits');
    await eventually(() => {
      expect(peer.received).toHaveLength(1);
    });
    stop.abort(new Error('nobody waits'));

    await refused;
    await eventually(() => {
      expect(left).toBe(1);
    });
    expect(peer.received).toHaveLength(1);
  });

  it('is given up by one that gave up before it asked', async () => {
    responds = false;
    askEarly('/console/videos');
    await eventually(() => {
      expect(peer.received).toHaveLength(1);
    });

    await expect(
      fetchUnlessAsked(session(), { signal: AbortSignal.abort(new Error('nobody waits')) }),
    ).rejects.toThrow('nobody waits');
    await eventually(() => {
      expect(left).toBe(1);
    });
  });

  it('ends in the middle of a body that nobody reads on', async () => {
    await peer.close();
    peer = await openPeer((_received, response) => void response.write('{"object":'));
    Object.assign(globalThis, { window: { location: { origin: peer.url }, fetch } });
    askEarly('/console/videos');
    const stop = new AbortController();
    const response = await fetchUnlessAsked(session(), { signal: stop.signal });
    stop.abort(new Error('nobody waits'));

    await expect(response.text()).rejects.toThrow();
  });
});
