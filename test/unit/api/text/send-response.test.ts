import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { ClientStream } from '../../../../services/api/src/text/client/client-stream.ts';
import type { TextRequest } from '../../../../services/api/src/text/request/text-request.ts';
import { sendResponse } from '../../../../services/api/src/text/client/send-response.ts';
import { atTurnEnd } from '../../../../services/api/src/text/hot-path/turn-end.ts';

const isHeldBack = ({ socket }: ServerResponse): boolean =>
  socket !== null && socket.writableCorked > 0;

interface Responded {
  readonly text: string;
  /** After the promises that were due, and when the requests' records are made. */
  readonly heldBack: { soon: boolean; later: boolean };
}

/**
 * Responds to as many requests as there are in one turn, in promises as the lane does; tells what the
 * clients read, and whether the first response still waited here.
 */
async function responded(send: (request: TextRequest) => void, clients = 1): Promise<Responded[]> {
  const heldBack = { soon: false, later: true };
  const open: ServerResponse[] = [];
  const respond = async (response: ServerResponse): Promise<void> => {
    await Promise.resolve();
    send({ response, headers: ['x-request-id', 'req_x'], startedMs: 0 } as unknown as TextRequest);
  };
  const respondToAll = (): void => {
    const responses = Promise.all(open.map(respond));
    const [first] = open as [ServerResponse];
    void responses.then(() => {
      heldBack.soon = isHeldBack(first);
    });
    // As it is for a request that ends in the turn of another one's response.
    atTurnEnd('record', () => {
      heldBack.later = isHeldBack(first);
      for (const response of open) response.end();
    });
  };
  const server = createServer((_request, response) => {
    if (open.push(response) === clients) respondToAll();
  }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    return await Promise.all(
      Array.from({ length: clients }, async () => {
        const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
        return {
          text: `${response.status} ${response.headers.get('x-request-id')} ${await response.text()}`,
          heldBack,
        };
      }),
    );
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const small = (request: TextRequest): void => {
  sendResponse(request, {
    status: 200,
    headers: ['content-type', 'application/json'],
    body: '{"text":"é"}',
  });
};

describe('a response on its way', () => {
  it.each([
    ['small and whole', '{"text":"é"}', small],
    [
      'of ASCII',
      '{"text":"e"}',
      (request: TextRequest) => {
        sendResponse(request, { status: 200, headers: [], body: '{"text":"e"}' });
      },
    ],
    [
      'of bytes',
      'é',
      (request: TextRequest) => {
        sendResponse(request, { status: 200, headers: [], body: Buffer.from('é') });
      },
    ],
    [
      'larger than what goes with its head',
      'é'.repeat(20_000),
      (request: TextRequest) => {
        sendResponse(request, { status: 200, headers: [], body: Buffer.from('é'.repeat(20_000)) });
      },
    ],
    [
      'larger than that, as text',
      'é'.repeat(20_000),
      (request: TextRequest) => {
        sendResponse(request, { status: 200, headers: [], body: 'é'.repeat(20_000) });
      },
    ],
  ])('leaves before its request is recorded: %s', async (_case, text, send) => {
    await expect(responded(send)).resolves.toEqual([
      { text: `200 req_x ${text}`, heldBack: expect.objectContaining({ later: false }) as unknown },
    ]);
  });

  it('leaves together with the others of its turn', async () => {
    const both = await responded(small, 2);
    expect(both).toEqual(
      [1, 2].map(() => ({
        text: '200 req_x {"text":"é"}',
        heldBack: { soon: true, later: false },
      })),
    );
  });

  it.each([
    [
      'the first bytes of a stream',
      'data: é\n\n',
      (request: TextRequest) => {
        const clientStream = new ClientStream(request);
        clientStream.open(200, ['content-type', 'text/event-stream']);
        clientStream.write(Buffer.from('data: é\n\n'));
        clientStream.flush();
      },
    ],
    [
      'the head of a stream alone',
      '',
      (request: TextRequest) => {
        const clientStream = new ClientStream(request);
        clientStream.open(200, ['content-type', 'text/event-stream']);
        clientStream.flush();
      },
    ],
  ])('leaves at once: %s', async (_case, text, send) => {
    await expect(responded(send)).resolves.toEqual([
      { text: `200 req_x ${text}`, heldBack: { soon: false, later: false } },
    ]);
  });
});

describe('the end of a turn', () => {
  it('sends, then records, in the order in which it was asked to, and does what it is asked meanwhile at the next one', async () => {
    const done: string[] = [];
    const note = (name: string) => (): void => {
      done.push(name);
    };
    await new Promise<void>((resolve) => {
      atTurnEnd('record', note('recorded'));
      atTurnEnd('send', () => {
        done.push('sent');
        atTurnEnd('record', resolve);
        atTurnEnd('send', note('sent at the next'));
      });
      atTurnEnd('send', note('sent too'));
      void Promise.resolve().then(note('promises'));
    });
    expect(done).toEqual(['promises', 'sent', 'sent too', 'recorded', 'sent at the next']);
  });
});
