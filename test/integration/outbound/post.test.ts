import { gzipSync } from 'node:zlib';
import net from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createOutboundClient, type Dial, type PostOutcome } from '@gateway/outbound';
import { eventually } from '../../contracts/eventually.ts';
import { aClient, closePeers, loopback, recordingDial, startPeer, startRawPeer } from './peers.ts';

afterEach(closePeers);

const text = (outcome: PostOutcome): string =>
  outcome.kind === 'responded' ? Buffer.from(outcome.body).toString() : '';

describe('posting', () => {
  it("sends the bytes as they are, with the caller's headers and ours", async () => {
    const peer = await startPeer((_request, response) => {
      response.writeHead(201, { 'x-seen': 'yes' }).end('thanks');
    });

    const outcome = await aClient().post({
      url: `http://receiver.example:${peer.port}/hook?a=1`,
      body: '{"prompt":"猫"}',
      headers: { 'content-type': 'application/json' },
    });

    expect(outcome).toMatchObject({
      kind: 'responded',
      status: 201,
      headers: { 'x-seen': 'yes' },
      remoteAddress: '127.0.0.1',
    });
    expect(text(outcome)).toBe('thanks');
    expect(peer.requests).toEqual([
      expect.objectContaining({
        method: 'POST',
        url: '/hook?a=1',
        body: '{"prompt":"猫"}',
        headers: {
          'content-type': 'application/json',
          'content-length': '16',
          'user-agent': 'gateway-test/1',
          'accept-encoding': 'identity',
          host: `receiver.example:${peer.port}`,
          connection: 'close',
        },
      }),
    ]);
  });

  it.each([200, 204, 301, 400, 410, 429, 500, 503])(
    'responds with status %i as it came, asking once',
    async (status) => {
      const peer = await startPeer((_request, response) => {
        response.writeHead(status, { location: 'http://other.example/' }).end();
      });
      const { dial, dialled } = recordingDial();

      const outcome = await aClient({ dial }).post({
        url: `http://receiver.example:${peer.port}/`,
        body: 'x',
      });

      expect(outcome).toMatchObject({ kind: 'responded', status });
      expect(dialled).toHaveLength(1);
    },
  );

  it('keeps the first bytes of a longer response', async () => {
    const peer = await startPeer((_request, response) => {
      response.end('a'.repeat(100_000));
    });

    const whole = await aClient().post({ url: `http://receiver.example:${peer.port}/`, body: '' });
    const short = await aClient().post({
      url: `http://receiver.example:${peer.port}/`,
      body: '',
      maxResponseBytes: 10,
    });

    expect(text(whole)).toHaveLength(64 * 1024);
    expect(text(short)).toBe('a'.repeat(10));
  });

  it('does not read an endless body to its end', async () => {
    let sentBytes = 0;
    const peer = await startPeer((_request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const send = (): void => {
        while (!response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) break;
        }
      };
      response.on('drain', send);
      send();
    });

    const outcome = await aClient().post({
      url: `http://receiver.example:${peer.port}/`,
      body: '',
    });

    expect(outcome).toMatchObject({ kind: 'responded', status: 200 });
    expect(outcome.durationMs).toBeLessThan(5_000);
    // what fits into socket buffers, not what the peer would send
    expect(sentBytes).toBeLessThan(16 * 1024 * 1024);
  });

  it('leaves a compressed response compressed', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const peer = await startPeer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });

    const outcome = await aClient().post({
      url: `http://receiver.example:${peer.port}/`,
      body: '',
    });

    expect(
      outcome.kind === 'responded' && Buffer.from(outcome.body).equals(bomb.subarray(0, 64 * 1024)),
    ).toBe(true);
  });

  it('is still a success when the body breaks off after the status line', async () => {
    const port = await startRawPeer((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this', () =>
          socket.destroy(),
        );
      });
    });

    const outcome = await aClient().post({ url: `http://receiver.example:${port}/`, body: 'x' });

    expect(outcome).toMatchObject({ kind: 'responded', status: 200 });
    expect(text(outcome)).toBe('only this');
  });

  it("throws the reason of the caller's own signal", async () => {
    const controller = new AbortController();
    const peer = await startPeer(() => {
      controller.abort(new Error('shutting down'));
    });
    const { dial, dialled } = recordingDial();
    const request = { url: `http://127.0.0.1:${peer.port}/`, body: '', signal: controller.signal };

    await expect(aClient({ dial }).post(request)).rejects.toThrow('shutting down');
    await expect(aClient({ dial }).post(request)).rejects.toThrow('shutting down');

    expect(dialled).toHaveLength(1);
  });
});

describe('posting within its deadlines', () => {
  const quick = {
    timeouts: { connectMs: 150, tlsMs: 150, responseMs: 150, totalMs: 400 },
    body: 'x',
  } as const;

  it('is a success when a dripping body is cut at the total deadline', async () => {
    const peer = await startPeer((_request, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    });

    const outcome = await aClient().post({
      url: `http://receiver.example:${peer.port}/`,
      ...quick,
    });

    expect(outcome).toMatchObject({ kind: 'responded', status: 200 });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(390);
    expect(outcome.durationMs).toBeLessThan(2_000);
  });

  it('lets a response that began before the whole request was sent take its time', async () => {
    const port = await startRawPeer((socket) => {
      socket.pause();
      socket.write('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nearly');
      setTimeout(() => socket.resume(), 50);
      setTimeout(() => socket.end(' and late'), 500);
    });

    const outcome = await aClient().post({
      url: `http://receiver.example:${port}/`,
      // More than the buffers between the two take.
      body: 'x'.repeat(32_000_000),
      timeouts: { ...quick.timeouts, totalMs: 20_000 },
    });

    expect(text(outcome)).toBe('early and late');
  });

  it('fails with timeout_response when no status line comes', async () => {
    const peer = await startPeer(() => undefined);

    await expect(
      aClient().post({ url: `http://receiver.example:${peer.port}/`, ...quick }),
    ).resolves.toMatchObject({ kind: 'failed', class: 'timeout_response' });
  });

  it('fails with timeout_total when the header itself drips', async () => {
    const port = await startRawPeer((socket) => {
      const drip = setInterval(() => socket.write('a'), 20);
      socket.write('HTTP/1.1 200 OK\r\nx-long: ');
      socket.on('close', () => {
        clearInterval(drip);
      });
    });

    const outcome = await aClient().post({
      url: `http://receiver.example:${port}/`,
      ...quick,
      timeouts: { totalMs: 300 },
    });

    expect(outcome).toMatchObject({
      kind: 'failed',
      class: 'timeout_total',
      detail: 'the request did not finish in time',
    });
  });

  it('fails with timeout_connect when nobody accepts the dial', async () => {
    const silent: Dial = () => new net.Socket();

    await expect(
      aClient({ dial: silent }).post({ url: 'http://receiver.example:8080/', ...quick }),
    ).resolves.toMatchObject({ class: 'timeout_connect' });
  });

  it('fails with timeout_tls when the handshake is not responded', async () => {
    const port = await startRawPeer(() => undefined);

    await expect(
      aClient().post({ url: `https://receiver.example:${port}/`, ...quick }),
    ).resolves.toMatchObject({ class: 'timeout_tls' });
  });

  it('leaves no connection behind when it gives up in any phase', async () => {
    let connections = 0;
    const port = await startRawPeer((socket) => {
      connections += 1;
      socket.resume(); // without reading the end of the connection would go unseen
      socket.on('close', () => {
        connections -= 1;
      });
    });

    await aClient().post({ url: `https://receiver.example:${port}/`, ...quick });
    await aClient().post({ url: `http://receiver.example:${port}/`, ...quick });
    await aClient().post({
      url: `https://receiver.example:${port}/`,
      body: '',
      timeouts: { totalMs: 50 },
    });

    await eventually(() => connections === 0);
  });
});

describe('posting to a receiver that fails', () => {
  it('says connection_refused without the address it resolved to', async () => {
    const nobody: Dial = ({ host }) => net.connect({ host, port: 1 });

    const outcome = await aClient({ dial: nobody }).post({
      url: 'http://receiver.example:8080/',
      body: '',
    });

    expect(outcome).toEqual({
      kind: 'failed',
      class: 'connection_refused',
      detail: 'the connection was refused (ECONNREFUSED)',
      durationMs: expect.any(Number),
    });
  });

  it('says connection_reset when the connection closes without a response', async () => {
    const port = await startRawPeer((socket) => {
      socket.once('data', () => {
        socket.destroy();
      });
    });

    await expect(
      aClient().post({ url: `http://receiver.example:${port}/`, body: 'x' }),
    ).resolves.toMatchObject({ class: 'connection_reset' });
  });

  it.each([
    ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['more header than Node takes', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`],
  ])('says invalid_answer to %s', async (_case, bytes) => {
    const port = await startRawPeer((socket) => {
      socket.once('data', () => {
        socket.write(bytes);
      });
    });

    await expect(
      aClient().post({ url: `http://receiver.example:${port}/`, body: 'x' }),
    ).resolves.toMatchObject({ class: 'invalid_answer' });
  });
});

describe('posting over TLS', () => {
  it('verifies the certificate against the name, and sends the name', async () => {
    const peer = await startPeer((_request, response) => {
      response.end('safe');
    }, true);

    const outcome = await aClient().post({
      url: `https://receiver.example:${peer.port}/`,
      body: 'x',
    });

    expect(text(outcome)).toBe('safe');
    expect(peer.requests[0]).toMatchObject({
      headers: { host: `receiver.example:${peer.port}` },
      serverName: 'receiver.example',
    });
  });

  it('takes a name with a root dot', async () => {
    const peer = await startPeer((_request, response) => {
      response.end('safe');
    }, true);

    await expect(
      aClient().post({ url: `https://receiver.example.:${peer.port}/`, body: 'x' }),
    ).resolves.toMatchObject({ kind: 'responded' });
    expect(peer.requests[0]?.serverName).toBe('receiver.example');
  });

  it.each([
    ['for another name', 'https://wrong.example'],
    ['that does not name the address', 'https://127.0.0.1'],
  ])('refuses a certificate %s and sends nothing', async (_case, origin) => {
    const peer = await startPeer((_request, response) => {
      response.end();
    }, true);

    const outcome = await aClient().post({ url: `${origin}:${peer.port}/`, body: 'secret' });

    expect(outcome).toMatchObject({
      kind: 'failed',
      class: 'tls_error',
      detail: 'the TLS handshake failed (ERR_TLS_CERT_ALTNAME_INVALID)',
    });
    expect(peer.requests).toEqual([]);
  });

  it('refuses a certificate that no usual root vouches for', async () => {
    const peer = await startPeer((_request, response) => {
      response.end();
    }, true);
    const client = createOutboundClient({
      allowCidrs: loopback,
      allowHttp: false,
      userAgent: 'x',
      resolve: () => ['127.0.0.1'],
      dial: recordingDial().dial,
    });

    const outcome = await client.post({
      url: `https://receiver.example:${peer.port}/`,
      body: 'secret',
    });

    expect(outcome).toMatchObject({
      class: 'tls_error',
      detail: 'the TLS handshake failed (DEPTH_ZERO_SELF_SIGNED_CERT)',
    });
    expect(peer.requests).toEqual([]);
  });

  it('says tls_error when the port speaks plain HTTP', async () => {
    const peer = await startPeer((_request, response) => {
      response.end();
    });

    await expect(
      aClient().post({ url: `https://receiver.example:${peer.port}/`, body: 'x' }),
    ).resolves.toMatchObject({ class: 'tls_error' });
  });
});
