import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  createGuardedAgents,
  parseEgressProxy,
  type Dial,
  type OutboundClientOptions,
} from '@gateway/outbound';
import { hostileHosts } from '../../unit/outbound/hostile-hosts.ts';
import {
  aClient,
  closePeers,
  recordingDial,
  startConnectProxy,
  startPeer,
  startRawPeer,
} from './peers.ts';

afterEach(closePeers);

const through = (port: number, credentials = '') => ({
  egressProxy: parseEgressProxy(`http://${credentials}127.0.0.1:${port}`),
  resolve: neverAsked,
});
const neverAsked = (): never => {
  throw new Error('the gateway resolves nothing itself');
};
const refusing = (response: string) =>
  startRawPeer((socket) => {
    socket.once('data', () => {
      socket.end(response);
    });
  });
const postThrough = (port: number, options: Partial<OutboundClientOptions> = {}) =>
  aClient({ ...through(port), ...options }).post({
    url: 'http://receiver.example:8080/',
    body: 'x',
    timeouts: { connectMs: 200 },
  });

describe('posting through an egress proxy', () => {
  it.each([
    ['http', false],
    ['https', true],
  ])('reaches an %s receiver by CONNECT, the name unresolved', async (scheme, secure) => {
    const peer = await startPeer((_request, response) => {
      response.end('here');
    }, secure);
    const proxy = await startConnectProxy();
    const { dial, dialled } = recordingDial();

    const outcome = await aClient({ ...through(proxy.port), dial }).post({
      url: `${scheme}://receiver.example:${peer.port}/hook`,
      body: '{"a":1}',
    });

    expect(outcome).toMatchObject({ kind: 'responded', status: 200 });
    expect(proxy.asked).toEqual([
      { target: `receiver.example:${peer.port}`, authorization: undefined },
    ]);
    expect(peer.requests).toMatchObject([
      { url: '/hook', body: '{"a":1}', headers: { host: `receiver.example:${peer.port}` } },
    ]);
    expect(dialled).toEqual(['127.0.0.1']);
  });

  it('shows its credentials to the proxy and to nobody else', async () => {
    const peer = await startPeer((_request, response) => {
      response.end();
    });
    const proxy = await startConnectProxy();

    await aClient(through(proxy.port, 'gate%40way:p%3Ass@')).post({
      url: `http://receiver.example:${peer.port}/`,
      body: '',
    });

    expect(proxy.asked[0]?.authorization).toBe(
      `Basic ${Buffer.from('gate@way:p:ss').toString('base64')}`,
    );
    expect(JSON.stringify(peer.requests)).not.toContain('uthorization');
  });

  it("still verifies the receiver's certificate itself", async () => {
    const peer = await startPeer((_request, response) => {
      response.end();
    }, true);
    const proxy = await startConnectProxy();

    await expect(
      aClient(through(proxy.port)).post({
        url: `https://wrong.example:${peer.port}/`,
        body: 'secret',
      }),
    ).resolves.toMatchObject({ class: 'tls_error' });

    expect(peer.requests).toEqual([]);
  });

  it.each(hostileHosts)('does not even ask the proxy for %s', async (host) => {
    const { dial, dialled } = recordingDial();

    await expect(
      aClient({ ...through(8080), allowCidrs: [], dial }).post({
        url: `http://${host}:8080/`,
        body: '',
      }),
    ).resolves.toMatchObject({ class: 'blocked_address' });

    expect(dialled).toEqual([]);
  });

  it.each(['127.0.0.1', '::1', '169.254.169.254'])(
    'does not ask for the literal %s even without the rule for URLs before it',
    async (host) => {
      const { dial, dialled } = recordingDial();
      const agents = createGuardedAgents({
        guard: {
          ...through(8080),
          egressProxy: parseEgressProxy('http://127.0.0.1:8080')!,
          allowCidrs: [],
          dial,
        },
        limits: { lookupMs: 500, connectMs: 500, tlsMs: 500, signal: new AbortController().signal },
      });

      await expect(
        new Promise((resolve, reject) => {
          http.get({ host, port: 8080, agent: agents.http }, resolve).once('error', reject);
        }),
      ).rejects.toMatchObject({ code: 'blocked_address' });

      expect(dialled).toEqual([]);
    },
  );

  it('asks for an IPv6 literal in brackets', async () => {
    const proxy = await startConnectProxy({ response: 'HTTP/1.1 403 Forbidden\r\n\r\n' });

    await aClient(through(proxy.port)).post({
      url: 'http://[2606:4700:4700::1111]:8080/',
      body: '',
    });

    expect(proxy.asked[0]?.target).toBe('[2606:4700:4700::1111]:8080');
  });

  it.each([
    [
      'forbids the target',
      'HTTP/1.1 403 Forbidden\r\n\r\n',
      { class: 'blocked_address', detail: 'the address is not public' },
    ],
    [
      'rejects the target as Smokescreen does',
      'HTTP/1.1 407 Request rejected by proxy\r\n\r\n',
      { class: 'blocked_address', detail: 'the address is not public' },
    ],
    ['cannot reach the target', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', { class: 'network_error' }],
    [
      'did not reach the target in time',
      'HTTP/1.1 504 Gateway Timeout\r\n\r\n',
      { class: 'timeout_connect' },
    ],
    [
      'speaks before it is asked',
      'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
      { class: 'invalid_answer' },
    ],
  ])('fails when the proxy %s', async (_case, response, expected) => {
    await expect(postThrough(await refusing(response))).resolves.toMatchObject({
      kind: 'failed',
      ...expected,
    });
  });

  it('fails with timeout_connect when the proxy never responds', async () => {
    await expect(postThrough(await startRawPeer(() => undefined))).resolves.toMatchObject({
      class: 'timeout_connect',
    });
  });

  const away: Dial = ({ host }) => net.connect({ host, port: 1 });
  const silent: Dial = () => new net.Socket();
  it.each<[string, () => Promise<unknown>]>([
    ['is away', () => postThrough(8080, { dial: away })],
    ['does not take the connection', () => postThrough(8080, { dial: silent })],
    [
      'wants other credentials',
      async () =>
        postThrough(
          await refusing(
            'HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic\r\n\r\n',
          ),
        ),
    ],
    ['hangs up', async () => postThrough(await refusing(''))],
    ['speaks no HTTP', async () => postThrough(await refusing('SSH-2.0-OpenSSH_9.6\r\n\r\n'))],
    [
      'floods its header',
      async () => postThrough(await refusing(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}`)),
    ],
  ])(
    'throws, and so holds nothing against the receiver, when the proxy %s',
    async (_case, work) => {
      await expect(work()).rejects.toMatchObject({ name: 'EgressProxyError' });
    },
  );

  it("throws the reason of the caller's own signal while the proxy keeps it waiting", async () => {
    const request = {
      url: 'http://receiver.example:8080/',
      body: '',
      signal: AbortSignal.timeout(50),
    };

    await expect(
      aClient(through(await startRawPeer(() => undefined))).post(request),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(
      aClient({ ...through(8080), dial: silent }).download({
        ...request,
        signal: AbortSignal.timeout(50),
        maxBytes: 1,
        timeoutMs: 5_000,
      }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('leaves a download the same fault', async () => {
    await expect(
      aClient({ ...through(8080), dial: away }).download({
        url: 'http://vendor.example/',
        maxBytes: 1,
        timeoutMs: 5_000,
      }),
    ).rejects.toMatchObject({ name: 'EgressProxyError' });
  });
});
