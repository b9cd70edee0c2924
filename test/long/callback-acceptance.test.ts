import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  anAccount,
  eventually,
  openPeer,
  openReceiver,
  type Peer,
  type Received,
} from '@gateway/testing';
import { createCallbackDeliveries, createCallbackSecrets } from '@gateway/store';
import { Webhook } from 'standardwebhooks';
import { openStage, type Stage } from '../component/callback-dispatcher-stage.ts';

let stage: Stage;
const peers: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
  await stage.stopDispatchers();
});

type Misbehaviour = NonNullable<Parameters<typeof openReceiver>[0]>;

async function receiver(
  onPush?: (received: Received, response: Parameters<Misbehaviour>[1]) => void,
) {
  const opened = await openReceiver((received, response) => {
    if (onPush === undefined || received.headers['x-gateway-event'] !== 'video.status_changed') {
      return false;
    }
    onPush(received, response);
    return true;
  });
  peers.push(opened);
  return opened;
}
const settled = (taskId: string, states: readonly string[]) =>
  eventually(async () => {
    expect(await stage.pushStates(taskId)).toEqual(states);
    expect(await stage.callbackOf(taskId)).toMatchObject({ claim_token: null });
  });
const stopped = (taskId: string) =>
  eventually(async () => {
    expect(await stage.callbackOf(taskId)).toMatchObject({ state: 'stopped' });
  });
const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length * share)]!;

describe('T-ISO: fifty pushes that hang at one receiver', () => {
  it('leave the others’ pushes under half a second, and keep no more than their share in flight', async () => {
    // So long that on a slow machine too the first eight still hang at the end.
    await stage.start({ CALLBACK_MAX_PER_ORIGIN: '8', CALLBACK_TIMEOUT_MS: '60000' });
    const hanging = await receiver(() => undefined);
    const healthy = await receiver();
    const delaysOf = async (count: number): Promise<number[]> => {
      const delays: number[] = [];
      for (let index = 0; index < count; index += 1) {
        const createdAt = Date.now();
        const { id } = await stage.create(healthy.url);
        const push = await eventually(
          () => {
            const found = healthy.pushes().find(({ body }) => body.id === id);
            expect(found).toBeDefined();
            return found!;
          },
          { everyMs: 5 },
        );
        delays.push(push.at - createdAt);
      }
      return delays;
    };
    const quiet = await delaysOf(10);
    for (let index = 0; index < 50; index += 1) await stage.create(hanging.url);
    await eventually(() => {
      expect(hanging.pushes()).toHaveLength(8);
    });

    const delays = await delaysOf(40);

    // On a busy machine the quiet ones take longer, too.
    expect(quantile(delays, 0.95)).toBeLessThan(Math.max(500, 4 * quantile(quiet, 0.95)));
    expect(hanging.pushes()).toHaveLength(8);
    const waiting = await stage.sql(
      'SELECT failures FROM callback WHERE waiting_since IS NOT NULL',
    );
    expect(waiting.length).toBeGreaterThan(30);
    expect(waiting.filter(({ failures }) => failures !== 0)).toEqual([]);
  });

  it('share the cap over two dispatchers', async () => {
    const settings = { CALLBACK_MAX_PER_ORIGIN: '4' };
    await stage.start(settings);
    await stage.start(settings);
    const hanging = await receiver(() => undefined);
    for (let index = 0; index < 30; index += 1) await stage.create(hanging.url);

    await eventually(() => {
      expect(hanging.pushes()).toHaveLength(4);
    });
    await eventually(async () => {
      expect(
        (await stage.sql('SELECT 1 FROM callback WHERE waiting_since IS NOT NULL')).length,
      ).toBeGreaterThan(5);
    });

    expect(hanging.pushes()).toHaveLength(4);
  });

  it('at many addresses of one account do not hold up another account', async () => {
    await stage.start({ CALLBACK_MAX_PER_ACCOUNT: '6', CALLBACK_CONCURRENCY: '12' });
    const hanging = await Promise.all(Array.from({ length: 20 }, () => receiver(() => undefined)));
    for (const { url } of hanging) await stage.create(url);
    await eventually(() => {
      expect(hanging.flatMap((peer) => peer.pushes())).toHaveLength(6);
    });
    const { id: accountId } = await anAccount(stage.test.database, { quota: 1_000 });
    const healthy = await receiver();

    const task = await stage.create(healthy.url, { accountId });

    await settled(task.id, ['delivered']);
    expect(hanging.flatMap((peer) => peer.pushes())).toHaveLength(6);
  });

  it('at an origin that cannot be reached is left alone for a while, at no cost of attempts', async () => {
    const gone = await openPeer(() => undefined);
    await gone.close();
    const dispatcher = await stage.start({
      CALLBACK_COOL_DOWN_MS: '600000',
      CALLBACK_RETRY_DELAYS_MS: '600000',
    });
    for (let index = 0; index < 5; index += 1) await stage.create(gone.url);
    await eventually(async () => {
      expect(
        await stage.sql(
          'SELECT 1 FROM callback c JOIN task t ON t.id = c.task_id WHERE t.callback_url = $1 AND c.failures = 1 AND c.attempts = 1',
          [gone.url],
        ),
      ).toHaveLength(5);
    });

    const sixth = await stage.create(gone.url);

    await eventually(async () => {
      expect(await stage.callbackOf(sixth.id)).toMatchObject({
        attempts: 0,
        failures: 0,
        waiting_since: expect.any(Date),
      });
    });
    expect(await (await fetch(`${dispatcher.opsUrl}/metrics`)).text()).toMatch(
      /gateway_callbacks_deferred_total\{[^}]*reason="circuit"[^}]*\} [1-9]/,
    );
  });
});

describe('T-BODY: a response that does not end well', () => {
  /**
   * A receiver on a bare socket: echoes the challenge, and returns a push with whatever it likes.
   */
  async function rawReceiver(
    respondToPush: (write: (bytes: string | Buffer) => void) => void,
  ): Promise<string> {
    const server: Server = createServer((socket) => {
      let text = '';
      socket.on('error', () => undefined);
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (!text.endsWith('}')) return;
        const challenge = /"challenge":"([\w-]+)"/.exec(text)?.[1];
        if (challenge === undefined) {
          respondToPush((bytes) => {
            if (!socket.destroyed) socket.write(bytes);
          });
        } else {
          socket.end(
            `HTTP/1.1 200 OK\r\ncontent-length: ${challenge.length}\r\nconnection: close\r\n\r\n${challenge}`,
          );
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    peers.push({
      close: () =>
        new Promise((resolve) => {
          server.close(() => {
            resolve();
          });
        }),
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const forever = (
    write: (bytes: string | Buffer) => void,
    { head, bytes, everyMs }: { head: string; bytes: string | Buffer; everyMs: number },
  ): void => {
    write(head);
    const timer = setInterval(() => {
      write(bytes);
    }, everyMs);
    timer.unref();
    peers.push({
      close: () => {
        clearInterval(timer);
        return Promise.resolve();
      },
    });
  };

  it.each<[string, (write: (bytes: string | Buffer) => void) => void]>([
    [
      'an endless body',
      (write) => {
        forever(write, {
          head: 'HTTP/1.1 200 OK\r\n\r\n',
          bytes: Buffer.alloc(1_000_000),
          everyMs: 1,
        });
      },
    ],
    [
      'a body that says it is compressed',
      (write) => {
        write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nnone');
      },
    ],
    [
      'a body of one byte now and then',
      (write) => {
        forever(write, {
          head: 'HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\n',
          bytes: 'x',
          everyMs: 100,
        });
      },
    ],
  ])(
    'counts as delivered by its status line, in bounded time and memory: %s',
    async (_name, respondToPush) => {
      await stage.start({ CALLBACK_TIMEOUT_MS: '1500' });
      const task = await stage.create(await rawReceiver(respondToPush));
      const before = process.memoryUsage().rss;

      await settled(task.id, ['delivered']);

      expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
      expect((await stage.attemptsOf(task.id)).at(-1)).toMatchObject({
        class: 'success',
        http_status: 200,
      });
      const { answer_excerpt: excerpt } = (await stage.attemptsOf(task.id)).at(-1) as {
        answer_excerpt: string | null;
      };
      expect(excerpt?.length ?? 0).toBeLessThanOrEqual(1_024);
    },
  );

  it.each<[string, (write: (bytes: string | Buffer) => void) => void, string]>([
    [
      'a flood of headers',
      (write) => {
        forever(write, {
          head: 'HTTP/1.1 200 OK\r\n',
          bytes: `x-flood: ${'y'.repeat(4_000)}\r\n`,
          everyMs: 1,
        });
      },
      'invalid_answer',
    ],
    [
      'no status line',
      (write) => {
        write('hello\r\n\r\n');
      },
      'invalid_answer',
    ],
    [
      'a status line that drips',
      (write) => {
        forever(write, { head: 'HTTP/1.1 ', bytes: '2', everyMs: 10_000 });
      },
      'timeout_response',
    ],
  ])('is a named failure: %s', async (_name, respondToPush, attemptClass) => {
    await stage.start({ CALLBACK_TIMEOUT_MS: '1000', CALLBACK_RETRY_DELAYS_MS: '600000' });
    const task = await stage.create(await rawReceiver(respondToPush));

    await eventually(async () => {
      expect((await stage.attemptsOf(task.id)).at(-1)).toMatchObject({
        sequence: 1,
        class: attemptClass,
        http_status: null,
      });
    });
  });
});

describe('T-SIG: a rotation of the secret', () => {
  const rotated = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

  it('signs with both while they overlap, then with the new one alone', async () => {
    await stage.start();
    const peer = await receiver();
    const { id: accountId, callbackSecret } = await anAccount(stage.test.database, {
      quota: 1_000,
    });
    await createCallbackSecrets(stage.test.database).rotate({
      accountId,
      secret: rotated,
      overlapSeconds: 600,
    });
    await settled((await stage.create(peer.url, { accountId })).id, ['delivered']);
    await stage.sql(
      `UPDATE callback_secret SET expires_at = now() - interval '1 second' WHERE account_id = $1 AND expires_at IS NOT NULL`,
      [accountId],
    );
    await settled((await stage.create(peer.url, { accountId })).id, ['delivered']);

    const [during, after] = peer.pushes();
    for (const secret of [rotated, callbackSecret]) {
      new Webhook(secret).verify(during!.raw, during!.headers as Record<string, string>);
    }
    expect(String(during!.headers['webhook-signature']).split(' ')).toHaveLength(2);
    new Webhook(rotated).verify(after!.raw, after!.headers as Record<string, string>);
    expect(() =>
      new Webhook(callbackSecret).verify(after!.raw, after!.headers as Record<string, string>),
    ).toThrow('No matching signature');
  });
});

describe('T-RETRY: a delivered push whose outcome cannot be written', () => {
  it('is not sent again when only the log is broken', async () => {
    const dispatcher = await stage.start();
    let pushes = 0;
    const peer = await receiver((_received, response) => {
      pushes += 1;
      void stage
        .sql(
          'ALTER TABLE callback_attempt ADD CONSTRAINT broken CHECK (sequence IS NULL) NOT VALID',
        )
        .then(() => response.end());
    });
    const task = await stage.create(peer.url);

    await eventually(
      async () => {
        expect(await stage.pushStates(task.id)).toEqual(['delivered']);
      },
      { withinMs: 20_000 },
    );
    await stage.sql('ALTER TABLE callback_attempt DROP CONSTRAINT broken');

    expect(pushes).toBe(1);
    expect(dispatcher.log.lines.map(({ message }) => message)).toContain(
      'callback attempt recorded without its row in the delivery log',
    );
  });

  it('is not sent again when the table of callbacks was away for longer than the writing was repeated', async () => {
    const { log } = await stage.start();
    let pushes = 0;
    const peer = await receiver((_received, response) => {
      pushes += 1;
      void stage
        .sql('ALTER TABLE callback_push RENAME TO callback_push_away')
        .then(() => response.end());
    });
    const task = await stage.create(peer.url);
    await eventually(() => {
      expect(pushes).toBe(1);
    });
    await eventually(
      () => {
        expect(log.lines.map(({ message }) => message)).toContain('job failed, will be retried');
      },
      { withinMs: 20_000 },
    ); // all repetitions are over

    await stage.sql('ALTER TABLE callback_push_away RENAME TO callback_push');

    await eventually(
      async () => {
        expect(await stage.pushStates(task.id)).toEqual(['delivered']);
      },
      { withinMs: 20_000 },
    );
    expect(pushes).toBe(1);
    expect(await stage.attemptsOf(task.id)).toMatchObject([
      { class: 'success' },
      { sequence: 1, class: 'success' },
    ]);
  });
});

describe('T-RETRY: a redelivery', () => {
  const redeliver = (taskId: string) =>
    createCallbackDeliveries(stage.test.database).redeliver(taskId);

  it('after pushing had stopped sends the newest status under its old id, once, and is marked as asked for', async () => {
    await stage.start({ CALLBACK_SWEEP_MS: '50' });
    let isDown = true;
    const peer = await receiver((_received, response) => {
      response.writeHead(isDown ? 500 : 200).end();
    });
    const queued = await stage.create(peer.url);
    await stopped(queued.id);
    await stage.move(queued, 'accepted');
    await settled(queued.id, ['stopped', 'stopped']);

    await redeliver(queued.id);
    await eventually(() => {
      expect(peer.pushes()).toHaveLength(7);
    });
    await settled(queued.id, ['stopped', 'stopped']); // one more attempt, and silence again
    isDown = false;
    await redeliver(queued.id);

    await settled(queued.id, ['stopped', 'delivered']);
    expect(
      peer
        .pushes()
        .slice(6)
        .map(({ headers }) => headers['x-gateway-sequence']),
    ).toEqual(['2', '2']);
    expect(
      new Set(
        peer
          .pushes()
          .slice(6)
          .map(({ headers }) => headers['webhook-id']),
      ),
    ).toEqual(new Set([`msg_${queued.id.slice(6)}_2`]));
    expect((await stage.attemptsOf(queued.id)).slice(-2)).toMatchObject([
      { trigger: 'manual', class: 'http_error' },
      { trigger: 'manual', class: 'success' },
    ]);
    expect(await stage.callbackOf(queued.id)).toMatchObject({
      state: 'verified',
      failures: 0,
      manual_at: null,
    });
  });

  it('of what was delivered sends it again; later statuses follow as usual', async () => {
    await stage.start({ CALLBACK_SWEEP_MS: '50' });
    const peer = await receiver();
    const queued = await stage.create(peer.url);
    await settled(queued.id, ['delivered']);

    await redeliver(queued.id);
    await eventually(() => {
      expect(peer.pushes()).toHaveLength(2);
    });
    await settled(queued.id, ['delivered']);
    await stage.move(queued, 'accepted');

    await settled(queued.id, ['delivered', 'delivered']);
    expect(peer.pushes().map(({ headers }) => headers['x-gateway-sequence'])).toEqual([
      '1',
      '1',
      '2',
    ]);
  });

  it('does not wait for a retry that is hours away, and spends none of what is left', async () => {
    await stage.start({ CALLBACK_SWEEP_MS: '50', CALLBACK_RETRY_DELAYS_MS: '600000,600000' });
    let failures = 1;
    const peer = await receiver((_received, response) => {
      response.writeHead(failures-- > 0 ? 500 : 200).end();
    });
    const task = await stage.create(peer.url);
    await eventually(async () => {
      expect(await stage.callbackOf(task.id)).toMatchObject({ failures: 1, claim_token: null });
    });

    await redeliver(task.id);

    await settled(task.id, ['delivered']);
  });

  it('of an address that never echoed the challenge asks for it again first', async () => {
    await stage.start({ CALLBACK_SWEEP_MS: '50' });
    let written = 'no';
    const peer: Peer = await openPeer(({ body }, response) => {
      const { challenge } = JSON.parse(body.toString()) as { challenge?: string };
      response.end(challenge === undefined || written === 'no' ? written : challenge);
    });
    peers.push(peer);
    const task = await stage.create(peer.url);
    await stopped(task.id);
    written = 'yes';

    await redeliver(task.id);

    await settled(task.id, ['delivered']);
    expect(peer.received.map(({ headers }) => headers['x-gateway-event'])).toEqual([
      'callback.challenge',
      'callback.challenge',
      'video.status_changed',
    ]);
  });
});
