import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createGuardedAgents,
  createOutboundClient,
  OutboundError,
  parseCidrs,
  type Dial,
  type Resolve,
} from '@gateway/outbound';
import { eventually } from '../../contracts/eventually.ts';
import { hostileAddresses, hostileHosts, publicHosts } from '../../unit/outbound/hostile-hosts.ts';
import { aClient, closePeers, recordingDial, startPeer, startRawPeer } from './peers.ts';

afterEach(closePeers);

const never: Resolve = () => {
  throw Object.assign(new Error('no name server in tests'), { code: 'ENOTFOUND' });
};

/** Straight to the agent: the URL rule in front of it is not there to help. */
async function requestThroughAgent(
  host: string,
  options: { resolve?: Resolve; dial: Dial },
): Promise<unknown> {
  const agents = createGuardedAgents({
    guard: { allowCidrs: [], resolve: options.resolve ?? never, dial: options.dial },
    limits: { lookupMs: 500, connectMs: 500, tlsMs: 500, signal: new AbortController().signal },
  });
  return new Promise((resolve, reject) => {
    http.get({ host, port: 8080, agent: agents.http }, resolve).once('error', reject);
  });
}

describe('T-SSRF: a connection to a literal address', () => {
  it.each(hostileAddresses.filter((address) => net.isIP(address) !== 0))(
    'is not dialled for %s',
    async (address) => {
      const { dial, dialled } = recordingDial();

      const failure: unknown = await requestThroughAgent(address, { dial }).catch(
        (thrown: unknown) => thrown,
      );

      expect(OutboundError.is(failure) && failure.code).toBe('blocked_address');
      expect(dialled).toEqual([]);
    },
  );

  it.each(publicHosts.map((host) => host.replace(/[[\]]/g, '')))(
    'is dialled for %s',
    async (address) => {
      const { dial, dialled } = recordingDial();

      await expect(requestThroughAgent(address, { dial })).rejects.toMatchObject({
        code: 'connection_refused',
      });

      expect(dialled).toEqual([address]);
    },
  );
});

describe('posting to a hostile host', () => {
  it.each(hostileHosts)('%s is refused without a lookup and without dialling', async (host) => {
    const { dial, dialled } = recordingDial();
    const asked: string[] = [];
    const client = aClient({
      allowCidrs: [],
      dial,
      resolve: (name) => {
        asked.push(name);
        return ['8.8.8.8'];
      },
    });

    const outcome = await client.post({ url: `http://${host}:8080/`, body: '' });

    expect(outcome).toMatchObject({ kind: 'failed', class: 'blocked_address' });
    expect([...asked, ...dialled]).toEqual([]);
  });
});

describe('T-SSRF: posting to a name', () => {
  const postTo = (resolve: Resolve, dial: Dial) =>
    aClient({ allowCidrs: [], resolve, dial }).post({
      url: 'http://receiver.example:8080/',
      body: '',
      timeouts: { lookupMs: 100 },
    });

  it.each(hostileAddresses)('that resolves to %p is refused and not dialled', async (address) => {
    const { dial, dialled } = recordingDial();

    const outcome = await postTo(() => [address], dial);

    expect(outcome).toMatchObject({
      kind: 'failed',
      class: 'blocked_address',
      detail: 'the address is not public',
      blockedAddress: address,
    });
    expect(dialled).toEqual([]);
  });

  it.each([
    ['a public one first', ['8.8.8.8', '10.0.0.1']],
    ['a private one first', ['10.0.0.1', '8.8.8.8']],
    ['both families', ['8.8.8.8', '::1']],
  ])(
    'with one private address among its responses is refused whole: %s',
    async (_case, addresses) => {
      const { dial, dialled } = recordingDial();

      await expect(postTo(() => addresses, dial)).resolves.toMatchObject({
        class: 'blocked_address',
      });

      expect(dialled).toEqual([]);
    },
  );

  it('asks for it once, and dials the address that was checked', async () => {
    const { dial, dialled } = recordingDial();
    const responses = [['8.8.8.8'], ['127.0.0.1']];
    let asked = 0;

    const outcome = await postTo(() => responses[Math.min(asked++, 1)] ?? [], dial);

    expect(outcome).toMatchObject({ class: 'connection_refused' });
    expect({ asked, dialled }).toEqual({ asked: 1, dialled: ['8.8.8.8'] });
  });

  it('is refused when the open connection turns out to end elsewhere', async () => {
    let received = 0;
    let closed = false;
    const port = await startRawPeer((socket) => {
      socket
        .on('data', () => {
          received += 1;
        })
        .on('close', () => {
          closed = true;
        });
    });
    const redirecting: Dial = () => net.connect({ host: '127.0.0.1', port });

    const outcome = await postTo(() => ['8.8.8.8'], redirecting);

    expect(outcome).toMatchObject({ class: 'blocked_address', blockedAddress: '127.0.0.1' });
    await eventually(() => closed);
    expect(received).toBe(0);
  });

  it('fails with connection_reset when the connection closes the moment it opens', async () => {
    const shortLived: Dial = () => {
      const socket = new net.Socket();
      process.nextTick(() => {
        socket.emit('connect');
        socket.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }));
      });
      return socket;
    };

    await expect(postTo(() => ['8.8.8.8'], shortLived)).resolves.toMatchObject({
      class: 'connection_reset',
    });
  });

  it('dials no further address once the exchange is over', async () => {
    const dialled: string[] = [];
    const silent: Dial = ({ host }) => {
      dialled.push(host);
      return new net.Socket();
    };
    const client = aClient({ resolve: () => ['8.8.8.8', '8.8.4.4'], dial: silent });

    await expect(
      client.post({ url: 'http://receiver.example/', body: '', timeouts: { totalMs: 50 } }),
    ).resolves.toMatchObject({ class: 'timeout_total' });
    await new Promise(setImmediate); // the turn in which a second one would be dialled

    expect(dialled).toEqual(['8.8.8.8']);
  });

  it.each<[string, Resolve, string]>([
    ['an empty response', () => [], 'dns_error'],
    [
      'an error',
      () => Promise.reject(Object.assign(new Error('x'), { code: 'ENOTFOUND' })),
      'dns_error',
    ],
    ['an error thrown at once', never, 'dns_error'],
    ['an error without a code', () => Promise.reject(new Error('x')), 'dns_error'],
    ['no response in time', () => new Promise(() => undefined), 'timeout_lookup'],
    ['an asynchronous private response', () => Promise.resolve(['10.0.0.1']), 'blocked_address'],
  ])('fails on %s', async (_case, resolve, expected) => {
    const { dial, dialled } = recordingDial();

    await expect(postTo(resolve, dial)).resolves.toMatchObject({ kind: 'failed', class: expected });

    expect(dialled).toEqual([]);
  });

  it('tries the next address when one does not respond, four at most', async () => {
    const peer = await startPeer((_request, response) => {
      response.end('here');
    });
    const { dial, dialled } = recordingDial();
    const resolve = (): string[] => ['8.8.8.8', '8.8.4.4', '127.0.0.1', '1.1.1.1'];
    const client = aClient({ allowCidrs: parseCidrs('127.0.0.1/32'), resolve, dial });

    const outcome = await client.post({ url: `http://receiver.example:${peer.port}/`, body: '' });

    expect(outcome).toMatchObject({ kind: 'responded', status: 200, remoteAddress: '127.0.0.1' });
    expect(dialled).toEqual(['8.8.8.8', '8.8.4.4', '127.0.0.1']);

    const five = recordingDial();
    await aClient({
      resolve: () => ['8.8.8.1', '8.8.8.2', '8.8.8.3', '8.8.8.4', '8.8.8.5'],
      dial: five.dial,
    }).post({ url: 'http://receiver.example/', body: '' });
    expect(five.dialled).toHaveLength(4);
  });

  it('shares the time for connecting among the addresses, so that a dead first one does not use it all', async () => {
    const peer = await startPeer((_request, response) => {
      response.end();
    });
    const dial: Dial = ({ host, port }) => {
      const socket = new net.Socket();
      // a slow one; the other never responds
      if (host === '127.0.0.1') setTimeout(() => socket.connect({ host, port }), 50);
      return socket;
    };
    const client = aClient({ resolve: () => ['8.8.8.8', '127.0.0.1'], dial });

    const outcome = await client.post({
      url: `http://receiver.example:${peer.port}/`,
      body: '',
      timeouts: { connectMs: 200 },
    });

    expect(outcome).toMatchObject({ kind: 'responded', status: 200 });
  });
});

describe('T-SSRF: loopback', () => {
  it('is reached only when the operator opened it', async () => {
    const peer = await startPeer((_request, response) => {
      response.end('here');
    });
    const url = `http://127.0.0.1:${peer.port}/`;

    await expect(aClient({ allowCidrs: [] }).post({ url, body: '' })).resolves.toMatchObject({
      class: 'blocked_address',
    });
    await expect(
      aClient({ allowCidrs: parseCidrs('10.0.0.0/8') }).post({ url, body: '' }),
    ).resolves.toMatchObject({ class: 'blocked_address' });
    expect(peer.requests).toHaveLength(0);

    await expect(
      aClient({ allowCidrs: parseCidrs('127.0.0.1/32') }).post({ url, body: '' }),
    ).resolves.toMatchObject({ kind: 'responded', status: 200 });
    expect(peer.requests).toHaveLength(1);
  });

  it('is reached by its name through the system when the operator opened it', async () => {
    const peer = await startPeer((_request, response) => {
      response.end('here');
    });
    const { dial } = recordingDial();
    const client = createOutboundClient({
      allowCidrs: parseCidrs('127.0.0.1/32,::1/128'),
      allowHttp: true,
      userAgent: 'x',
      dial,
    }); // resolves as the services do

    await expect(
      client.post({ url: `http://localhost:${peer.port}/`, body: '' }),
    ).resolves.toMatchObject({ kind: 'responded', status: 200 });
  });
});
