import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { HoldResponse } from '@gateway/contracts';
import { openPeer, type Peer, type Respond } from '@gateway/testing';
import { RefusedError } from '../../../services/api/src/adapters/billing-calls.ts';
import {
  createHoldCalls,
  OverloadedError,
  type HoldAsk,
} from '../../../services/api/src/adapters/hold-calls.ts';

let billing: Peer | undefined;
afterEach(() => billing?.close());

/** Calls of a billing service that responds like this. */
async function calling(respond: Respond, timeoutMs = 2_000) {
  const peer = await openPeer(respond);
  billing = peer;
  const calls = createHoldCalls({
    baseUrl: peer.url,
    headers: { authorization: 'Bearer token' },
    timeoutMs,
  });
  /** What each of so many comes to, and what the call does. */
  const askTogether = async (count: number) => {
    const outcomes = Array.from(
      { length: count },
      (): HoldResponse | Error | undefined => undefined,
    );
    const call = await calls
      .askTogether(
        outcomes.map((_, index) => ({
          ...askFor(`task${index}`),
          resolve: (response) => {
            outcomes[index] = response;
          },
          reject: (error) => {
            outcomes[index] = error;
          },
        })),
      )
      .catch((error: unknown) => error);
    return { outcomes, call };
  };
  return { ...calls, askTogether, received: peer.received };
}

const askFor = (taskId: string, headers: HoldAsk['headers'] = {}): HoldAsk => ({
  request: { task_id: taskId, account_id: 'a', quota: 1, seconds: 1, second_quota: 1 },
  headers: { 'x-request-id': `req_${taskId}`, ...headers },
});

const held: HoldResponse = { outcome: 'held', available_quota: 7 };
const none: HoldResponse = { outcome: 'insufficient', available_quota: 0 };
const lines = (...said: unknown[]): string =>
  said.map((line) => `${JSON.stringify(line)}\n`).join('');
const status =
  (code: number, body = '{}'): Respond =>
  (_received, response) => {
    response.writeHead(code).end(body);
  };
const overloaded = JSON.stringify({ error: { code: 'overloaded', message: 'too many wait' } });
const sent = (response: ServerResponse, text: string): Promise<void> =>
  new Promise((resolve) => {
    response.write(text, () => {
      resolve();
    });
  });

describe('a call for several holds', () => {
  it('says for whom each is, and is told of each, in any order and any pieces', async () => {
    const text = lines({ index: 1, ...none }, { index: 0, ...held });
    const { askTogether, received } = await calling(async (_received, response) => {
      await sent(response, text.slice(0, 20));
      response.end(text.slice(20));
    });

    expect(await askTogether(2)).toEqual({ outcomes: [held, none], call: 'decided' });
    expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /internal/holds/batch',
    ]);
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer token' });
    expect(JSON.parse(String(received[0]?.body))).toEqual({
      holds: [0, 1].map((index) => ({
        hold: askFor(`task${index}`).request,
        request_id: `req_task${index}`,
      })),
    });
  });

  it('fails for the one that billing fails for, which is told whether it may ask again', async () => {
    const errors = [
      { status: 503, code: 'overloaded', message: 'too many wait' },
      { status: 503, code: 'upstream_unavailable', message: 'no database' },
      { status: 400, code: 'invalid_parameter', message: 'quota must be 2' },
    ];
    const { askTogether } = await calling((_received, response) => {
      const failed = errors.map((error, index) => ({ index, error }));
      response.end(lines(...failed, { index: 3, ...held }));
    });

    const { outcomes, call } = await askTogether(4);

    expect(call).toBe('decided');
    expect(outcomes.slice(0, 2)).toEqual([
      new OverloadedError('too many wait'),
      new Error('billing answered 503: no database'),
    ]);
    expect(outcomes[0]).toBeInstanceOf(OverloadedError);
    expect(outcomes[1]).not.toBeInstanceOf(RefusedError);
    expect(outcomes[2]).toBeInstanceOf(RefusedError);
    expect(outcomes[3]).toEqual(held);
  });

  it.each<[string, string, Respond]>([
    [
      'the connection breaks',
      'other side closed',
      async (_received, response) => {
        await sent(response, lines({ index: 0, ...held }));
        response.destroy();
      },
    ],
    [
      'the response ends early',
      'billing did not respond for every hold',
      (_received, response) => {
        response.end(lines({ index: 0, ...held }));
      },
    ],
    [
      'the response does not go on',
      'The operation was aborted due to timeout',
      async (_received, response) => {
        await sent(response, lines({ index: 0, ...held }));
      },
    ],
    [
      'the rest is something else',
      'something other than hold responses',
      (_received, response) => {
        response.end(lines({ index: 0, ...held }, { index: 1, outcome: 'taken' }));
      },
    ],
  ])('keeps what came before when %s', async (_what, reason, respond) => {
    const { askTogether } = await calling(respond, 300);

    const { outcomes, call } = await askTogether(2);

    expect(outcomes).toEqual([held, undefined]);
    expect(call).toBeInstanceOf(Error);
    expect((call as Error).message).toContain(reason);
  });

  it.each([
    ['unknown', 404],
    ['refused', 400],
    ['refused', 413],
    ['refused', 500],
  ])('is %s after a %i', async (outcome, code) => {
    const { askTogether } = await calling(status(code));

    expect(await askTogether(2)).toEqual({ outcomes: [undefined, undefined], call: outcome });
  });

  it.each([502, 503, 504])('fails after a %i', async (code) => {
    const { askTogether } = await calling(status(code));

    expect((await askTogether(2)).call).toEqual(new Error('billing is not available'));
  });
});

describe('a call for one hold', () => {
  it('carries its request and its trace', async () => {
    const { askAlone, received } = await calling(status(200, JSON.stringify(held)));

    expect(await askAlone(askFor('a', { traceparent: 'trace' }))).toEqual(held);
    expect(received[0]).toMatchObject({
      path: '/internal/holds',
      headers: { 'x-request-id': 'req_a', traceparent: 'trace' },
    });
    expect(JSON.parse(String(received[0]?.body))).toEqual(askFor('a').request);
  });

  it.each<[string, Error, Respond]>([
    ['too much waits', new OverloadedError('too many wait'), status(503, overloaded)],
    ['billing is away', new Error('billing answered 503'), status(503, 'no upstream')],
    ['it is refused', new RefusedError('billing answered 400'), status(400)],
    [
      'the response is something else',
      new RefusedError('billing returned something other than a hold response'),
      status(200, '{}'),
    ],
  ])('fails when %s', async (_what, error, respond) => {
    const { askAlone } = await calling(respond);

    const thrown: unknown = await askAlone(askFor('a')).catch((reason: unknown) => reason);

    expect(thrown).toEqual(error);
    expect((thrown as Error).constructor).toBe(error.constructor);
  });
});
