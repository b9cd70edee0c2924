import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { describeError } from '@gateway/domain';
import { eventually } from '@gateway/testing';
import type { Flow } from '../../../../services/api/src/text/client/index.ts';
import type { Deadlines, Timed } from '../../../../services/api/src/text/hot-path/index.ts';
import {
  createUpstreamConnections,
  type UpstreamRequest,
  type UpstreamConnections,
} from '../../../../services/api/src/text/upstream/connections.ts';

const timeoutMs = 3_600_000;

/** Deadlines that are looked at when the test says so. */
function handDeadlines(): { readonly deadlines: Deadlines; lookAt(nowMs: number): void } {
  const watched = new Set<Timed>();
  return {
    deadlines: {
      watch: (item) => {
        watched.add(item);
      },
      release: (item) => {
        watched.delete(item);
      },
    },
    lookAt(nowMs) {
      for (const item of [...watched].filter(({ dueMs }) => dueMs <= nowMs)) {
        watched.delete(item);
        item.expire();
      }
    },
  };
}

let server: Server;
let respond: ServerResponse | undefined;
let upstreams: UpstreamConnections;
let hand: ReturnType<typeof handDeadlines>;
beforeEach(async () => {
  respond = undefined;
  server = createServer((_request, response) => {
    respond = response;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  hand = handDeadlines();
  upstreams = createUpstreamConnections(hand.deadlines);
});
afterEach(async () => {
  await upstreams.close();
  server.closeAllConnections();
  server.close();
});

/** A time that is over when it is given. */
async function pastMs(): Promise<number> {
  const nowMs = performance.now();
  await eventually(() => {
    expect(performance.now()).toBeGreaterThan(nowMs);
  });
  return nowMs;
}

/** What has come of a call. */
interface Told {
  flow: Flow | undefined;
  text: string;
  failure: string | undefined;
}

/** A call that the upstream has taken, and what it is told. */
async function aCall(
  take = (_chunk: Buffer): void => undefined,
  more: Partial<UpstreamRequest> = {},
): Promise<{ readonly told: Told; readonly upstream: ServerResponse }> {
  const told: Told = { flow: undefined, text: '', failure: undefined };
  const request: UpstreamRequest = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    path: '/',
    headers: [],
    body: [Buffer.from('{}')],
    connectTimeoutMs: timeoutMs,
    headTimeoutMs: timeoutMs,
    idleTimeoutMs: timeoutMs,
    ...more,
  };
  upstreams.call(request, {
    streamed(_head, flow) {
      told.flow = flow;
      return {
        chunk: (chunk) => {
          told.text += chunk.toString();
          take(chunk);
        },
        end: () => undefined,
        broken: ({ kind }) => {
          told.failure = kind;
        },
      };
    },
    whole: () => undefined,
    failed: ({ kind }) => {
      told.failure = kind;
    },
    threw: (error) => {
      told.failure = describeError(error);
    },
  });
  return {
    told,
    upstream: await eventually(() => respond ?? Promise.reject(new Error('not asked yet'))),
  };
}

/** A call whose stream has begun, and a time before that at which the upstream had the request. */
async function aStream(): Promise<
  Awaited<ReturnType<typeof aCall>> & { readonly takenMs: number }
> {
  const call = await aCall();
  const takenMs = await pastMs();
  call.upstream.writeHead(200).flushHeaders();
  await eventually(() => {
    expect(call.told.flow).toBeDefined();
  });
  return { ...call, takenMs };
}

const timesOut = ({ told }: { readonly told: Told }): Promise<void> => {
  hand.lookAt(performance.now() + timeoutMs);
  return eventually(() => {
    expect(told.failure).toBe('timeout');
  });
};

describe('the silence of an upstream', () => {
  it('counts from the request until the head', async () => {
    const sinceMs = await pastMs();
    const call = await aCall();

    hand.lookAt(sinceMs + timeoutMs);
    expect(call.told.failure).toBeUndefined();

    await timesOut(call);
  });

  it('counts anew from the head and from each piece', async () => {
    const call = await aStream();
    hand.lookAt(call.takenMs + timeoutMs);
    expect(call.told.failure).toBeUndefined();

    const headMs = await pastMs();
    call.upstream.write('a');
    await eventually(() => {
      expect(call.told.text).toBe('a');
    });
    hand.lookAt(headMs + timeoutMs);
    expect(call.told.failure).toBeUndefined();

    await timesOut(call);
  });

  it('is none while the client takes nothing, and counts anew once it does', async () => {
    const call = await aStream();
    call.told.flow?.pause();
    hand.lookAt(performance.now() + timeoutMs);
    hand.lookAt(performance.now() + timeoutMs);
    expect(call.told.failure).toBeUndefined();

    const pausedMs = await pastMs();
    call.told.flow?.resume();
    hand.lookAt(pausedMs + timeoutMs);
    expect(call.told.failure).toBeUndefined();

    await timesOut(call);
  });
});

describe('a body whose memory is used again', () => {
  /** More than a socket takes from somebody whom nobody listens to. */
  const body = Buffer.alloc(16_777_216, 'x');

  it('is sent when the upstream has taken all of it', async () => {
    let sent = 0;
    const { upstream } = await aCall(undefined, { body: [body], onSent: () => (sent += 1) });
    expect(upstream.req.headers['content-length']).toBe(String(body.length));
    expect(sent).toBe(0);

    let takenBytes = 0;
    upstream.req.on('data', (piece: Buffer) => (takenBytes += piece.length));
    await once(upstream.req, 'end');

    await eventually(() => {
      expect(sent).toBe(1);
    });
    expect(takenBytes).toBe(body.length);
  });

  it('may come in pieces, and is sent when the last of them is', async () => {
    let sent = 0;
    const pieces = ['a', 'b'.repeat(65_537), 'c', 'd'.repeat(16_777_216)];
    const { upstream } = await aCall(undefined, {
      body: pieces.map((piece) => Buffer.from(piece)),
      onSent: () => (sent += 1),
    });
    expect(upstream.req.headers['content-length']).toBe(String(pieces.join('').length));
    expect(sent).toBe(0);

    const taken: Buffer[] = [];
    upstream.req.on('data', (piece: Buffer) => taken.push(piece));
    await once(upstream.req, 'end');

    await eventually(() => {
      expect(sent).toBe(1);
    });
    expect(Buffer.concat(taken).toString() === pieces.join('')).toBe(true);
  });

  it('may come in pieces of which nobody wants to know when they are sent', async () => {
    const { upstream } = await aCall(undefined, { body: [Buffer.from('a'), Buffer.from('b')] });
    const taken: Buffer[] = [];
    upstream.req.on('data', (piece: Buffer) => taken.push(piece));
    await once(upstream.req, 'end');

    expect(Buffer.concat(taken).toString()).toBe('ab');
  });

  it('is never certain of what a socket keeps without asking to wait', async () => {
    let sent = 0;
    const body = Buffer.alloc(65_536, 'x');
    const { upstream } = await aCall(undefined, { body: [body], onSent: () => (sent += 1) });
    let takenBytes = 0;
    upstream.req.on('data', (piece: Buffer) => (takenBytes += piece.length));
    await once(upstream.req, 'end');

    expect([takenBytes, sent]).toEqual([body.length, 0]);
  });

  it('is over with its connection, which an early response ends', async () => {
    let sent = 0;
    const call = await aCall(undefined, { body: [body], onSent: () => (sent += 1) });
    const { socket } = call.upstream.req;
    expect(sent).toBe(0);

    call.upstream.writeHead(413).end('too large');

    await eventually(() => {
      expect([call.told.text, sent, socket.destroyed]).toEqual(['too large', 1, true]);
    });
  });
});

describe('an exception of ours while a response is taken', () => {
  it('ends its call alone, and says nothing about the upstream', async () => {
    const broken = await aCall(() => {
      throw new Error('a bug');
    });
    broken.upstream.writeHead(200).write('a');
    await eventually(() => {
      expect(broken.told.failure).toBe('a bug');
    });

    respond = undefined;
    const other = await aStream();
    other.upstream.end('whole');
    await eventually(() => {
      expect(other.told.text).toBe('whole');
    });
  });
});
