import { createServer, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import {
  beginInTurn,
  type Arrival,
} from '../../../../services/api/src/text/arrive/begin-in-turn.ts';
import { openTextRequest } from '../../../../services/api/src/text/request/text-request.ts';
import { eventually, recordingLog } from '@gateway/testing';

describe('requests that wait for their turn', () => {
  it('begin in spite of one that cannot, which alone loses its connection', async () => {
    const log = recordingLog();
    const responses: ServerResponse[] = [];
    const begin = (response: ServerResponse, index: number): void => {
      beginInTurn({ log, now: Date.now }, response, () => {
        if (index === 25) throw new Error('cannot begin');
        response.end('begun');
      });
    };
    const texts = await served(30, {
      take: (response) => {
        if (responses.push(response) === 30) responses.forEach(begin);
      },
      ask: async (url) => {
        try {
          return await (await fetch(url)).text();
        } catch {
          return 'cut off';
        }
      },
    });
    expect(texts.filter((text) => text === 'begun')).toHaveLength(29);
    expect(texts.filter((text) => text === 'cut off')).toHaveLength(1);
    expect(log.lines).toMatchObject([{ message: 'a request could not be started' }]);
  });

  it('are measured from when they came, a pipelined one from the end of the response before it', async () => {
    const log = recordingLog();
    const arrivals: { arrival: Arrival; response: ServerResponse }[] = [];
    let clock = 0;
    const [text] = await served(1, {
      take: (response) => {
        clock += 1;
        beginInTurn({ log, now: () => clock }, response, (arrival) => {
          arrivals.push({ arrival, response });
          clock += 10;
          response.end(String(arrival.startedAtMs));
        });
      },
      ask: async (url) => {
        const { hostname, port } = new URL(url);
        const socket = connect(Number(port), hostname);
        const get = `GET / HTTP/1.1\r\nhost: ${hostname}\r\n`;
        socket.write(`${get}\r\n${get}connection: close\r\n\r\n`);
        const chunks: Buffer[] = [];
        for await (const chunk of socket) chunks.push(chunk as Buffer);
        return Buffer.concat(chunks).toString();
      },
    });
    expect(text?.match(/\r\n\r\n\d+/g)?.map(Number)).toEqual([1, 12]);
    expect(arrivals).toHaveLength(2);
  });

  it('know of a client that left meanwhile', async () => {
    let known: boolean | undefined;
    await served(1, {
      take: (response) => {
        response.on('close', () => {
          const { req: incoming } = response;
          const path = { dialect: 'chat' };
          known = openTextRequest({ incoming, response, path } as OpenTextRequest).clientGone;
        });
      },
      ask: async (url) => {
        const { hostname, port } = new URL(url);
        const socket = connect(Number(port), hostname);
        socket.write(`GET / HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`, () => {
          socket.destroy();
        });
        await eventually(() => {
          expect(known).toBe(true);
        });
        return '';
      },
    });
  });
});

type OpenTextRequest = Parameters<typeof openTextRequest>[0];

interface Scene {
  readonly take: (response: ServerResponse) => void;
  readonly ask: (url: string) => Promise<string>;
}

/** What so many clients of a server are told. */
async function served(clients: number, { take, ask }: Scene): Promise<string[]> {
  const server = createServer((_request, response) => {
    take(response);
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return await Promise.all(Array.from({ length: clients }, () => ask(url)));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
