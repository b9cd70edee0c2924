import type net from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';
import { OutboundError } from '@gateway/outbound';
import { aClient, closePeers, startRawPeer } from '../integration/outbound/peers.ts';

afterEach(closePeers);

const mebibyte = 1024 * 1024;
/** What one exchange may add to the memory of the process, the attacker within it included. */
const allowedBytes = 96 * mebibyte;
const totalMs = 1_000;
/**
 * Of a machine that is busy with other things, beyond the deadline: what is broken here never ends
 * at all.
 */
const slackMs = 10_000;

/** How an attacker responds: what comes first, and what follows for ever. */
interface Attack {
  readonly head: string;
  readonly piece?: Buffer;
  /** Left out: as fast as it is taken. */
  readonly everyMs?: number;
  /**
   * What a post comes to, unless a busy machine cuts it at its deadline: a status, or the class of
   * the failure.
   */
  readonly posted: number | string;
}

const large = (text: string): Buffer => Buffer.from(text.repeat(Math.ceil(mebibyte / text.length)));
const chunkOf = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
const bomb = gzipSync(Buffer.alloc(200 * mebibyte));
const ok = 'HTTP/1.1 200 OK\r\n';

const attacks: Readonly<Record<string, Attack>> = {
  'an endless body of unknown length': { head: `${ok}\r\n`, piece: large('a'), posted: 200 },
  'ten announced gigabytes': {
    head: `${ok}content-length: 10737418240\r\n\r\n`,
    piece: large('a'),
    posted: 200,
  },
  'endless chunks': {
    head: `${ok}transfer-encoding: chunked\r\n\r\n`,
    piece: chunkOf(large('a')),
    posted: 200,
  },
  'endless chunks of one byte': {
    head: `${ok}transfer-encoding: chunked\r\n\r\n`,
    piece: large('1\r\na\r\n'),
    posted: 200,
  },
  'a chunk of 2^60 bytes': {
    head: `${ok}transfer-encoding: chunked\r\n\r\nfffffffffffffff\r\n`,
    piece: large('a'),
    posted: 200,
  },
  'an endless chunk extension': {
    head: `${ok}transfer-encoding: chunked\r\n\r\n1;`,
    piece: large('a'),
    posted: 200,
  },
  'endless trailers': {
    head: `${ok}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n`,
    piece: large('x-trailer: aaaaaaaa\r\n'),
    posted: 200,
  },
  'one endless trailer': {
    head: `${ok}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\nx-trailer: `,
    piece: large('a'),
    posted: 200,
  },
  'a gzip bomb, again and again': {
    head: `${ok}content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`,
    piece: chunkOf(bomb),
    posted: 200,
  },
  'one byte of the body at a time': {
    head: `${ok}\r\n`,
    piece: Buffer.from('a'),
    everyMs: 100,
    posted: 200,
  },
  'a flood of headers': {
    head: ok,
    piece: large('x-header: aaaaaaaa\r\n'),
    posted: 'invalid_answer',
  },
  'one endless header': { head: `${ok}x-header: `, piece: large('a'), posted: 'invalid_answer' },
  'one byte of a header at a time': {
    head: `${ok}x-header: `,
    piece: Buffer.from('a'),
    everyMs: 100,
    posted: 'timeout_total',
  },
  'no status line, only bytes': { head: '', piece: large('a'), posted: 'invalid_answer' },
  'an endless status line': { head: 'HTTP/1.1 200 ', piece: large('a'), posted: 'invalid_answer' },
  'one byte of the status line at a time': {
    head: 'HTTP/1.1 200 ',
    piece: Buffer.from('a'),
    everyMs: 100,
    posted: 'timeout_total',
  },
  'endless empty lines': { head: '', piece: large('\r\n'), posted: 'timeout_total' },
  'endless early hints': {
    head: '',
    piece: large('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'),
    posted: 'invalid_answer',
  },
  'another protocol': {
    head: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    piece: large('a'),
    posted: 'invalid_answer',
  },
  'two lengths': {
    head: `${ok}content-length: 1\r\ncontent-length: 2\r\n\r\n`,
    piece: large('a'),
    posted: 'invalid_answer',
  },
  'a negative length': {
    head: `${ok}content-length: -1\r\n\r\n`,
    piece: large('a'),
    posted: 'invalid_answer',
  },
  silence: { head: '', posted: 'timeout_total' },
};

/** Sends until the connection is gone, never more than the other side takes. */
function attackWith({ head, piece, everyMs }: Attack): (socket: net.Socket) => void {
  return (socket) => {
    socket.resume().once('data', () => {
      socket.write(head);
      if (piece === undefined) return;
      if (everyMs !== undefined) {
        const drip = setInterval(() => {
          socket.write(piece);
        }, everyMs);
        socket.on('close', () => {
          clearInterval(drip);
        });
        return;
      }
      const send = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', send);
      send();
    });
  };
}

/** The result of the work, how long it took, and by how much the process grew meanwhile. */
async function measured<T>(
  work: () => Promise<T>,
): Promise<{ result: T; ms: number; grownBytes: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  const startedAt = performance.now();
  try {
    const result = await work();
    return {
      result,
      ms: performance.now() - startedAt,
      grownBytes: Math.max(peak, process.memoryUsage.rss()) - before,
    };
  } finally {
    clearInterval(watch);
  }
}

describe.each(Object.entries(attacks))('a receiver that responds with %s', (_name, attack) => {
  it('ends in time and in little memory', async () => {
    const port = await startRawPeer(attackWith(attack));
    const post = () =>
      aClient().post({ url: `http://receiver.example:${port}/`, body: 'x', timeouts: { totalMs } });

    const { result, ms, grownBytes } = await measured(() => Promise.all([post(), post(), post()]));

    for (const outcome of result) {
      expect([attack.posted, 'timeout_total']).toContain(
        outcome.kind === 'responded' ? outcome.status : outcome.class,
      );
    }
    expect(
      result.every((outcome) => outcome.kind === 'failed' || outcome.body.length <= 64 * 1024),
    ).toBe(true);
    expect(ms).toBeLessThan(totalMs + slackMs);
    expect(grownBytes).toBeLessThan(allowedBytes);
  });
});

describe.each(Object.entries(attacks))(
  'a sender of files that responds with %s',
  (_name, attack) => {
    it('ends in time and in little memory', async () => {
      const port = await startRawPeer(attackWith(attack));
      const download = async (): Promise<string> => {
        let sizeBytes = 0;
        try {
          const { stream } = await aClient().download({
            url: `http://vendor.example:${port}/`,
            maxBytes: 100 * mebibyte,
            timeoutMs: totalMs,
          });
          for await (const chunk of stream) sizeBytes += (chunk as Buffer).length;
          return 'ended';
        } catch (thrown) {
          return `${OutboundError.is(thrown) ? thrown.code : String(thrown)}${sizeBytes > 100 * mebibyte ? ' after too much' : ''}`;
        }
      };

      const { result, ms, grownBytes } = await measured(() =>
        Promise.all([download(), download()]),
      );

      for (const outcome of result) {
        expect(outcome).toMatch(
          /^(too_large|timeout_total|timeout_response|invalid_answer|connection_reset)$/,
        );
      }
      expect(ms).toBeLessThan(totalMs + slackMs);
      expect(grownBytes).toBeLessThan(allowedBytes);
    });
  },
);
