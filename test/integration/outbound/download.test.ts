import { randomBytes } from 'node:crypto';
import type http from 'node:http';
import type { Readable } from 'node:stream';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OutboundError, type DownloadRequest } from '@gateway/outbound';
import { eventually } from '../../contracts/eventually.ts';
import { aClient, closePeers, recordingDial, startPeer, startRawPeer } from './peers.ts';

afterEach(closePeers);

const bounds = { maxBytes: 1_000_000, timeoutMs: 5_000 } as const;
const contentOf = async (stream: Readable): Promise<Buffer> =>
  Buffer.concat((await stream.toArray()) as Buffer[]);
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no error',
    (thrown: unknown) => (OutboundError.is(thrown) ? thrown.code : thrown),
  );

/** Serves `/file` and redirects every `/to/<location>`. */
const redirecting: http.RequestListener = (request, response) => {
  const location = /^\/to\/(\d{3})\/(.*)$/.exec(request.url ?? '');
  if (location === null) response.end('the file');
  else {
    response
      .writeHead(Number(location[1]), { location: decodeURIComponent(location[2] ?? '') })
      .end('moved');
  }
};
const via = (location: string, status = 302): string =>
  `/to/${status}/${encodeURIComponent(location)}`;

describe('downloading', () => {
  it('streams the bytes of the file', async () => {
    const file = randomBytes(900_000);
    const peer = await startPeer((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' }).end(file);
    });

    const { stream, status, headers, url } = await aClient().download({
      url: `http://vendor.example:${peer.port}/file#part`,
      headers: { Range: 'bytes=0-' },
      ...bounds,
    });

    expect({ status, type: headers['content-type'], url }).toEqual({
      status: 200,
      type: 'video/mp4',
      url: `http://vendor.example:${peer.port}/file`,
    });
    expect((await contentOf(stream)).equals(file)).toBe(true);
    expect(peer.requests[0]?.headers).toMatchObject({
      range: 'bytes=0-',
      'accept-encoding': 'identity',
      'user-agent': 'gateway-test/1',
    });
  });

  it.each([404, 403, 500, 304])('throws http_status on %i', async (status) => {
    const peer = await startPeer((_request, response) => {
      response.writeHead(status).end();
    });

    await expect(
      aClient().download({ url: `http://vendor.example:${peer.port}/`, ...bounds }),
    ).rejects.toMatchObject({ code: 'http_status', status });
  });

  it('throws too_large before the first byte when the announced length is too much', async () => {
    const peer = await startPeer((_request, response) => {
      response.end(Buffer.alloc(1_001));
    });

    await expect(
      codeOf(
        aClient().download({
          url: `http://vendor.example:${peer.port}/`,
          ...bounds,
          maxBytes: 1_000,
        }),
      ),
    ).resolves.toBe('too_large');
  });

  it('counts the bytes that arrive: a file at the limit passes, one byte more fails', async () => {
    const peer = await startPeer((request, response) => {
      // chunked: no length is announced
      response.write(Buffer.alloc(1_000));
      response.end(request.url === '/more' ? 'x' : '');
    });
    const open = (path: string) =>
      aClient().download({
        url: `http://vendor.example:${peer.port}${path}`,
        ...bounds,
        maxBytes: 1_000,
      });

    await expect(contentOf((await open('/')).stream)).resolves.toHaveLength(1_000);
    await expect(codeOf(contentOf((await open('/more')).stream))).resolves.toBe('too_large');
  });

  it.each([
    ['a shorter body than announced', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this'],
    [
      'a body without its last chunk',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nonly this\r\n',
    ],
  ])('fails with connection_reset on %s, never ends short', async (_case, response) => {
    const port = await startRawPeer((socket) => {
      socket.once('data', () => {
        socket.end(response);
      });
    });

    const { stream } = await aClient().download({
      url: `http://vendor.example:${port}/`,
      ...bounds,
    });

    await expect(codeOf(contentOf(stream))).resolves.toBe('connection_reset');
  });

  it('fails with timeout_idle when the sender stalls', async () => {
    const peer = await startPeer((_request, response) => {
      response.write('begun');
    });

    const { stream } = await aClient().download({
      url: `http://vendor.example:${peer.port}/`,
      ...bounds,
      idleTimeoutMs: 100,
    });

    await expect(codeOf(contentOf(stream))).resolves.toBe('timeout_idle');
  });

  it('does not hold a slow reader against the sender', async () => {
    const file = randomBytes(300_000);
    const peer = await startPeer((_request, response) => {
      response.end(file);
    });
    const { stream } = await aClient().download({
      url: `http://vendor.example:${peer.port}/`,
      ...bounds,
      idleTimeoutMs: 50,
    });

    const unreadUntil = Date.now() + 4 * 50;
    while (Date.now() < unreadUntil && !stream.destroyed) await new Promise(setImmediate);

    expect((await contentOf(stream)).equals(file)).toBe(true);
  });

  it('fails with timeout_total when a dripping file passes its deadline', async () => {
    const peer = await startPeer((_request, response) => {
      const drip = setInterval(() => response.write('.'), 20);
      response.on('close', () => {
        clearInterval(drip);
      });
    });

    const { stream } = await aClient().download({
      url: `http://vendor.example:${peer.port}/`,
      maxBytes: 1_000,
      timeoutMs: 200,
    });

    await expect(codeOf(contentOf(stream))).resolves.toBe('timeout_total');
  });

  it("stops with the reason of the caller's signal, before the response and within it", async () => {
    const peer = await startPeer((request, response) => {
      if (request.url === '/begun') response.write('begun');
    });
    const attempt = (path: string, signal: AbortSignal) =>
      aClient().download({ url: `http://vendor.example:${peer.port}${path}`, ...bounds, signal });

    await expect(attempt('/silent', AbortSignal.timeout(50))).rejects.toMatchObject({
      name: 'TimeoutError',
    });

    const controller = new AbortController();
    const { stream } = await attempt('/begun', controller.signal);
    controller.abort(new Error('shutting down'));
    await expect(contentOf(stream)).rejects.toThrow('shutting down');
  });

  it('closes the connection when the reader goes away', async () => {
    const closed: string[] = [];
    const peer = await startPeer((_request, response) => {
      response.on('close', () => closed.push('closed'));
      response.write('begun');
    });

    const { stream } = await aClient().download({
      url: `http://vendor.example:${peer.port}/`,
      ...bounds,
    });
    stream.destroy();

    await eventually(() => closed.length > 0);
  });
});

describe('a redirect of a download', () => {
  const from = (
    port: number,
    path: string,
    request: Partial<DownloadRequest> = {},
  ): DownloadRequest => ({ url: `http://vendor.example:${port}${path}`, ...bounds, ...request });

  it.each([301, 302, 303, 307, 308])('%i is followed, also when it is relative', async (status) => {
    const peer = await startPeer(redirecting);

    const { stream, url } = await aClient().download(from(peer.port, via('/file#part', status)));

    await expect(contentOf(stream)).resolves.toEqual(Buffer.from('the file'));
    expect(url).toBe(`http://vendor.example:${peer.port}/file`);
  });

  it('is followed three times and not a fourth', async () => {
    const peer = await startPeer(redirecting);
    const nested = (count: number): string =>
      Array.from({ length: count }).reduce<string>((inner) => via(inner), '/file');

    await expect(
      aClient()
        .download(from(peer.port, nested(3)))
        .then(({ stream }) => contentOf(stream)),
    ).resolves.toEqual(Buffer.from('the file'));
    await expect(codeOf(aClient().download(from(peer.port, nested(4))))).resolves.toBe(
      'too_many_redirects',
    );
    await expect(
      codeOf(aClient().download(from(peer.port, nested(1), { maxRedirects: 0 }))),
    ).resolves.toBe('too_many_redirects');
  });

  it.each([
    ['the metadata service', 'http://169.254.169.254/latest/meta-data/'],
    ['the metadata service in another spelling', 'http://[::ffff:a9fe:a9fe]/'],
    ['a private address', 'http://10.0.0.1/'],
    ['an internal name', 'http://metadata.google.internal/'],
    ['a mail port', 'http://other.example:25/'],
    ['another scheme', 'file:///etc/passwd'],
    ['credentials', 'http://user:pw@other.example/'],
  ])('to %s is refused and not dialled', async (_case, location) => {
    const peer = await startPeer(redirecting);
    const { dial, dialled } = recordingDial();

    await expect(codeOf(aClient({ dial }).download(from(peer.port, via(location))))).resolves.toBe(
      'blocked_address',
    );

    expect(dialled).toEqual(['127.0.0.1']);
  });

  it('to a name that resolves to a private address is refused and not dialled', async () => {
    const peer = await startPeer(redirecting);
    const { dial, dialled } = recordingDial();
    const client = aClient({
      dial,
      resolve: (name) => (name === 'inside.example' ? ['10.0.0.1'] : ['127.0.0.1']),
    });

    await expect(
      codeOf(client.download(from(peer.port, via('http://inside.example/')))),
    ).resolves.toBe('blocked_address');

    expect(dialled).toEqual(['127.0.0.1']);
  });

  it('from https to http is refused, also where http is allowed', async () => {
    const plain = await startPeer(redirecting);
    const safe = await startPeer(redirecting, true);
    const request = {
      url: `https://receiver.example:${safe.port}${via(`http://other.example:${plain.port}/file`)}`,
      ...bounds,
    };

    await expect(codeOf(aClient({ allowHttp: false }).download(request))).resolves.toBe(
      'blocked_address',
    );
    await expect(codeOf(aClient({ allowHttp: true }).download(request))).resolves.toBe(
      'blocked_address',
    );
    expect(plain.requests).toEqual([]);
  });

  it('from http to https is followed, and leads nowhere but to https from there', async () => {
    const plain = await startPeer(redirecting);
    const safe = await startPeer(redirecting, true);
    const begin = (location: string) => aClient().download(from(plain.port, via(location)));

    await expect(
      begin(`https://receiver.example:${safe.port}/file`).then(({ stream }) => contentOf(stream)),
    ).resolves.toEqual(Buffer.from('the file'));
    await expect(
      codeOf(
        begin(
          `https://receiver.example:${safe.port}${via(`http://vendor.example:${plain.port}/file`)}`,
        ),
      ),
    ).resolves.toBe('blocked_address');
    expect(plain.requests.map(({ url }) => url)).not.toContain('/file');
  });

  it('to another origin loses whatever may be a credential, also for the hops after it', async () => {
    const other = await startPeer(redirecting);
    const first = await startPeer(redirecting);
    const headers = {
      Authorization: 'Bearer secret',
      Cookie: 'session=1',
      'X-Api-Key': 'secret',
      Range: 'bytes=0-',
    };
    const home = `http://vendor.example:${first.port}`;

    const { stream } = await aClient().download(
      from(first.port, via(via(`http://other.example:${other.port}${via(`${home}/file`)}`)), {
        headers,
      }),
    );
    await contentOf(stream);

    expect(
      first.requests
        .slice(0, 2)
        .every(
          ({ headers: sent }) =>
            sent.authorization === 'Bearer secret' &&
            sent.cookie === 'session=1' &&
            sent['x-api-key'] === 'secret',
        ),
    ).toBe(true);
    expect(
      [...other.requests, ...first.requests.slice(2)].map(({ headers: sent }) => [
        sent.authorization,
        sent.cookie,
        sent['x-api-key'],
        sent.range,
      ]),
    ).toEqual(Array(2).fill([undefined, undefined, undefined, 'bytes=0-']));
  });

  it('does not wait for the body of the redirecting response', async () => {
    let closed = false;
    const peer = await startPeer((request, response) => {
      if (request.url === '/file') {
        response.end('the file');
        return;
      }
      response.on('close', () => {
        closed = true;
      });
      response.writeHead(302, { location: '/file' }).write('moved, and more to come');
    });

    await expect(
      aClient()
        .download(from(peer.port, '/'))
        .then(({ stream }) => contentOf(stream)),
    ).resolves.toEqual(Buffer.from('the file'));
    await eventually(() => closed);
  });

  it('without a usable location is invalid_answer', async () => {
    const peer = await startPeer((_request, response) => {
      response.writeHead(302, { location: 'http://[' }).end();
    });

    await expect(codeOf(aClient().download(from(peer.port, '/')))).resolves.toBe('invalid_answer');
  });

  it('without any location is http_status', async () => {
    const peer = await startPeer((_request, response) => {
      response.writeHead(302).end();
    });

    await expect(codeOf(aClient().download(from(peer.port, '/')))).resolves.toBe('http_status');
  });
});
