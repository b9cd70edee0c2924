import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { videoResource, type MediaLinks } from '@gateway/contracts';
import { parseTokenKeys, verifyMediaToken } from '@gateway/media';
import {
  eventually,
  openPeer,
  openReceiver,
  scrapeAnew,
  type Peer,
  type Received,
} from '@gateway/testing';
import { Webhook } from 'standardwebhooks';
import {
  mediaTokenKeys,
  openStage,
  publicBaseUrl,
  type Dispatcher,
  type Stage,
} from './callback-dispatcher-stage.ts';

let stage: Stage;
let dispatcher: Dispatcher;
const peers: Peer[] = [];

beforeAll(async () => {
  stage = await openStage();
  dispatcher = await stage.start();
});
afterAll(() => stage.close());
afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close();
});

type Respond = Parameters<typeof openReceiver>[0];
async function receiver(misbehave?: Respond) {
  const opened = await openReceiver(misbehave);
  peers.push(opened);
  return opened;
}

/** Responds to a push, not to the challenge. */
const onPush =
  (respond: (received: Received, response: Parameters<NonNullable<Respond>>[1]) => void): Respond =>
  (received, response) => {
    if (received.headers['x-gateway-event'] !== 'video.status_changed') return false;
    respond(received, response);
    return true;
  };
const failing = (status: number, headers: Record<string, string> = {}): Respond =>
  onPush((_received, response) => {
    response.writeHead(status, headers).end('no');
  });
const challengesOf = (peer: Peer): Received[] =>
  peer.received.filter(({ headers }) => headers['x-gateway-event'] === 'callback.challenge');
const sequencesOf = (peer: Peer): number[] =>
  peer.received
    .filter(({ headers }) => 'x-gateway-sequence' in headers)
    .map(({ headers }) => Number(headers['x-gateway-sequence']));
const stopped = (taskId: string) =>
  eventually(async () => {
    const callback = await stage.callbackOf(taskId);
    expect(callback['state']).toBe('stopped');
    return callback;
  });
const settled = (taskId: string, states: readonly string[]) =>
  eventually(async () => {
    expect(await stage.pushStates(taskId)).toEqual(states);
    expect(await stage.callbackOf(taskId)).toMatchObject({ claim_token: null });
  });
const metric = async (name: string): Promise<number> => {
  const text = await scrapeAnew(dispatcher.opsUrl);
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')
      .at(-1) ?? 0,
  );
};

describe('T-EQ and T-SIG: a task with a callback address', () => {
  it('verifies once and then pushes every status in order, with all that follows from it', async () => {
    const before = await metric('gateway_callback_attempts_total{class="success"');
    const peer = await receiver();

    const queued = await stage.create(`${peer.url}/hook`);
    await eventually(() => {
      expect(peer.pushes()).toHaveLength(1);
    });
    const running = await stage.move(queued, 'accepted');
    await eventually(() => {
      expect(peer.pushes()).toHaveLength(2);
    });
    await stage.move(running, 'stored');

    await settled(queued.id, ['delivered', 'delivered', 'delivered']);
    expect(peer.received.map(({ method, path }) => `${method} ${path}`)).toEqual(
      Array(4).fill('POST /hook'),
    );
    expect(challengesOf(peer)).toHaveLength(1);
    expect(peer.pushes().map(({ body }) => body.status)).toEqual([
      'queued',
      'running',
      'succeeded',
    ]);
    expect(sequencesOf(peer)).toEqual([1, 2, 3]);
    expect(await stage.callbackOf(queued.id)).toMatchObject({
      state: 'verified',
      failures: 0,
      attempts: 4,
      due_at: null,
      challenge: null,
    });
    expect(await stage.attemptsOf(queued.id)).toMatchObject([
      {
        sequence: null,
        attempt: 1,
        class: 'success',
        http_status: 200,
        remote_address: '127.0.0.1',
        detail: null,
        next_attempt_at: null,
      },
      { sequence: 1, class: 'success', answer_excerpt: '{}' },
      { sequence: 2, class: 'success' },
      { sequence: 3, class: 'success' },
    ]);
    expect(await metric('gateway_callback_attempts_total{class="success"')).toBe(before + 4);
    expect(dispatcher.log.lines).toContainEqual({
      level: 'info',
      message: 'callback attempt',
      fields: expect.objectContaining({ sequence: 3, attempt: 1, class: 'success', status: 200 }),
    });
  });

  it('pushes exactly the resource that a GET returned when the task had that status', async () => {
    const peer = await receiver();
    const queued = await stage.createQuietly(peer.url);
    const running = await stage.move(queued, 'accepted', { wake: false });
    const done = await stage.move(running, 'stored');
    await settled(queued.id, ['delivered', 'delivered', 'delivered']);

    const url = (peer.pushes()[2]!.body as unknown as { content: { video_url: string } }).content
      .video_url;
    const never = (): string => 'never asked for';
    const links: MediaLinks = { video: () => url, lastFrame: never, poster: never };
    expect(peer.pushes().map(({ raw }) => JSON.parse(raw) as unknown)).toEqual(
      [queued, running, done].map(
        (task) => JSON.parse(JSON.stringify(videoResource(task, links))) as unknown,
      ),
    );
    expect(url).toMatch(new RegExp(`^${publicBaseUrl}/v1/videos/${queued.id}/content\\?token=`));
    expect(
      verifyMediaToken({
        keys: parseTokenKeys(mediaTokenKeys),
        token: new URL(url).searchParams.get('token')!,
        variant: 'content',
        videoId: queued.id,
        now: new Date(),
        maxTtlSeconds: 86_400,
      }),
    ).toMatchObject({ ok: true });
  });

  it('signs every message so that the published library accepts it, with each valid secret', async () => {
    await stage.sql(
      `INSERT INTO callback_secret (account_id, secret, expires_at) VALUES ($1, $2, now() - interval '1 minute')`,
      [stage.accountId, 'whsec_ZXhwaXJlZCBzZWNyZXQgb2YgMjQgYg=='],
    );
    await stage.sql('INSERT INTO callback_secret (account_id, secret) VALUES ($1, $2)', [
      stage.accountId,
      'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    ]);
    const peer = await receiver();
    const task = await stage.create(peer.url, { requestId: 'req_of_the_customer' });
    await settled(task.id, ['delivered']);

    for (const { headers, body } of peer.received) {
      for (const secret of [stage.callbackSecret, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD']) {
        new Webhook(secret).verify(body, headers as Record<string, string>);
      }
      expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2);
      expect(() =>
        new Webhook('whsec_ZXhwaXJlZCBzZWNyZXQgb2YgMjQgYg==').verify(
          body,
          headers as Record<string, string>,
        ),
      ).toThrow('No matching signature');
    }
    expect(peer.received[1]!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^generation-gateway-callbacks\//),
      'webhook-id': `msg_${task.id.slice(6)}_1`,
      'x-gateway-event': 'video.status_changed',
      'x-gateway-sequence': '1',
      'x-gateway-attempt': '1',
      'x-gateway-task': task.id,
      'x-request-id': 'req_of_the_customer',
    });
  });
});

describe('T-CH: the challenge', () => {
  it.each<[string, (challenge: string) => string]>([
    ['plain text', (challenge) => `${challenge}\n`],
    ['a JSON string', (challenge) => JSON.stringify(challenge)],
    ['a JSON object', (challenge) => JSON.stringify({ challenge })],
    ['a form', (challenge) => new URLSearchParams({ challenge }).toString()],
  ])('may be echoed as %s', async (_name, encode) => {
    const peer = await receiver((received, response) => {
      const { challenge } = JSON.parse(received.body.toString()) as { challenge?: string };
      response.statusCode = 201;
      response.end(challenge === undefined ? '' : encode(challenge));
      return true;
    });

    await settled((await stage.create(peer.url)).id, ['delivered']);
  });

  it.each([
    ['another value', () => '{"challenge":"guessed"}', 'the body was "{"challenge":"guessed"}"'],
    [
      'a page that contains it',
      (body: string) => `<html>${body}</html>`,
      'the body was "<html>{"type":"url_verification","challenge":"[challenge]"}</html>"',
    ],
    [
      'the verification itself sent back',
      (body: string) => body,
      'respond with the value of "challenge" and nothing else',
    ],
    [
      'the whole request reflected',
      (body: string) => JSON.stringify({ json: JSON.parse(body) as unknown }),
      'the body was "{"json":',
    ],
    ['nothing', () => '', 'empty body'],
  ])(
    'a response of %s ends pushing for good, and the log says why',
    async (_name, respond, reason) => {
      const peer = await receiver(({ body }, response) => {
        response.end(respond(body.toString()));
        return true;
      });
      const queued = await stage.create(peer.url);

      expect(await stopped(queued.id)).toMatchObject({ stop_reason: 'mismatch' });
      expect(await stage.attemptsOf(queued.id)).toMatchObject([
        {
          class: 'mismatch',
          http_status: 200,
          detail: expect.stringContaining(reason),
          next_attempt_at: null,
        },
      ]);

      await stage.move(queued, 'accepted');
      await settled(queued.id, ['stopped', 'stopped']);
      expect(peer.received).toHaveLength(1);
    },
  );

  it.each([[200], [201], [202]])('may get a %i, and every push with 204', async (status) => {
    const peer = await receiver(({ headers, body }, response) => {
      const isChallenge = headers['x-gateway-event'] === 'callback.challenge';
      if (isChallenge) {
        response
          .writeHead(status)
          .end((JSON.parse(body.toString()) as { challenge: string }).challenge);
      } else response.writeHead(204).end();
      return true;
    });
    const { id } = await stage.create(peer.url);

    await settled(id, ['delivered']);
    expect(await stage.attemptsOf(id)).toMatchObject([
      { http_status: status, class: 'success' },
      { http_status: 204, class: 'success' },
    ]);
  });

  it.each<
    [string, string, (response: Parameters<NonNullable<Respond>>[1], challenge: string) => void]
  >([
    [
      '204, which has no body',
      'returned 204 with an empty body instead of the challenge',
      (response) => {
        response.writeHead(204).end();
      },
    ],
    [
      'a megabyte that begins with it',
      'returned 200, but the body was',
      (response, challenge) => {
        response.end(challenge + ' '.repeat(1_000_000) + 'x');
      },
    ],
    [
      'a megabyte that ends with it',
      'returned 200, but the body was',
      (response, challenge) => {
        response.end('x'.repeat(1_000_000) + challenge);
      },
    ],
  ])('%s is not an echo', async (_name, detail, respond) => {
    const peer = await receiver(({ body }, response) => {
      respond(response, (JSON.parse(body.toString()) as { challenge: string }).challenge);
      return true;
    });
    const { id } = await stage.create(peer.url);

    expect(await stopped(id)).toMatchObject({ stop_reason: 'mismatch' });
    const [attempted] = await stage.attemptsOf(id);
    expect(attempted).toMatchObject({ class: 'mismatch', detail: expect.stringContaining(detail) });
    expect((attempted!['answer_excerpt'] as string | null)?.length ?? 0).toBeLessThanOrEqual(1_024);
  });

  it('is not looked for behind a redirect', async () => {
    const elsewhere = await receiver();
    const peer = await receiver((_received, response) => {
      response.writeHead(307, { location: elsewhere.url }).end();
      return true;
    });
    const { id } = await stage.create(peer.url);

    expect(await stopped(id)).toMatchObject({ stop_reason: 'exhausted', attempts: 6 });
    expect((await stage.attemptsOf(id))[0]).toMatchObject({
      class: 'redirect_not_followed',
      http_status: 307,
    });
    expect(elsewhere.received).toEqual([]);
  });

  it('may be echoed shortly before the deadline, and after it no longer', async () => {
    const deadlineMs = 1_500;
    const hasty = await stage.startAside({
      CALLBACK_TIMEOUT_MS: String(deadlineMs),
      CALLBACK_RETRY_DELAYS_MS: '20',
    });
    const late = new Map<string, number>();
    const respondAfter = (ms: number): Promise<Peer> =>
      receiver(({ body }, response) => {
        setTimeout(() => {
          response.end((JSON.parse(body.toString()) as { challenge?: string }).challenge ?? '');
        }, ms);
        return true;
      });
    const inTime = await stage.createQuietly((await respondAfter(deadlineMs * 0.5)).url);
    const tooLate = await stage.createQuietly((await respondAfter(deadlineMs * 1.5)).url);

    expect(await stopped(tooLate.id)).toMatchObject({ stop_reason: 'exhausted', attempts: 2 });
    await settled(inTime.id, ['delivered']);
    await hasty.stop();
    for (const attempted of await stage.attemptsOf(tooLate.id)) {
      expect(attempted).toMatchObject({ class: 'timeout_response', http_status: null });
      late.set(String(attempted['id']), Number(attempted['duration_ms']));
    }
    expect(Math.min(...late.values())).toBeGreaterThanOrEqual(deadlineMs * 0.9 - 5);
  });

  it('is repeated with the same value while the receiver is down, and every status from before is pushed after it, in order', async () => {
    let isDown = true;
    const peer = await receiver((_received, response) => {
      if (isDown) response.writeHead(503).end();
      return isDown;
    });
    const queued = await stage.create(peer.url);
    await eventually(() => {
      expect(challengesOf(peer).length).toBeGreaterThanOrEqual(2);
    });
    const running = await stage.move(queued, 'accepted');
    await stage.move(running, 'failed');
    isDown = false;

    await settled(queued.id, ['delivered', 'delivered', 'delivered']);
    const challenges = challengesOf(peer).map(
      ({ body }) => (JSON.parse(body.toString()) as { challenge: string }).challenge,
    );
    expect(new Set(challenges).size).toBe(1);
    expect(Buffer.from(challenges[0]!, 'base64url')).toHaveLength(32);
    expect(peer.pushes().map(({ body }) => body.status)).toEqual(['queued', 'running', 'failed']);
    expect(await stage.callbackOf(queued.id)).toMatchObject({ state: 'verified', failures: 0 });
  });

  it('has five retries of its own', async () => {
    const peer = await receiver((_received, response) => {
      response.writeHead(500).end();
      return true;
    });

    expect(await stopped((await stage.create(peer.url)).id)).toMatchObject({
      stop_reason: 'exhausted',
      attempts: 6,
    });
    expect(challengesOf(peer).map(({ headers }) => headers['x-gateway-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
  });
});

describe('T-RETRY: a receiver that fails', () => {
  it('always with 500 gets six posts under one id, and then silence', async () => {
    const before = await metric('gateway_callbacks_stopped_total{reason="exhausted"');
    const peer = await receiver(failing(500));
    const queued = await stage.create(peer.url);

    expect(await stopped(queued.id)).toMatchObject({ stop_reason: 'exhausted', failures: 6 });
    const running = await stage.move(queued, 'accepted');
    await stage.move(running, 'stored');
    await settled(queued.id, ['stopped', 'stopped', 'stopped']);

    expect(peer.pushes()).toHaveLength(6);
    expect(new Set(peer.pushes().map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(peer.pushes().map(({ headers }) => headers['x-gateway-attempt'])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
    ]);
    expect((await stage.attemptsOf(queued.id)).slice(1)).toMatchObject(
      Array(6).fill({
        class: 'http_error',
        http_status: 500,
        detail: 'returned 500',
        answer_excerpt: 'no',
      }),
    );
    expect(await metric('gateway_callbacks_stopped_total{reason="exhausted"')).toBe(before + 1);
  });

  it('and then recovers gets a fresh timestamp and signature, the same id and the same bytes', async () => {
    const slow = await stage.startAside({ CALLBACK_RETRY_DELAYS_MS: '1300' });
    let failures = 1;
    const peer = await receiver(
      onPush((_received, response) => {
        response.writeHead(failures-- > 0 ? 500 : 200).end();
      }),
    );
    const task = await stage.createQuietly(peer.url);
    await settled(task.id, ['delivered']);
    await slow.stop();

    const [first, second] = peer.pushes();
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
    expect(second!.raw).toBe(first!.raw);
    expect(Number(second!.headers['webhook-timestamp'])).toBeGreaterThan(
      Number(first!.headers['webhook-timestamp']),
    );
    for (const { raw, headers } of [first!, second!]) {
      new Webhook(stage.callbackSecret).verify(raw, headers as Record<string, string>);
    }
  });

  it('with 410 is left alone at once', async () => {
    const peer = await receiver(failing(410));

    expect(await stopped((await stage.create(peer.url)).id)).toMatchObject({
      stop_reason: 'gone',
      failures: 1,
    });
    expect(peer.pushes()).toHaveLength(1);
  });

  it('by redirecting is not followed, and the log names where it pointed', async () => {
    const elsewhere = await openPeer((_received, response) => {
      response.end();
    });
    peers.push(elsewhere);
    const peer = await receiver(failing(302, { location: `${elsewhere.url}/path?secret=1` }));
    const task = await stage.create(peer.url);
    await stopped(task.id);

    expect(elsewhere.received).toEqual([]);
    expect((await stage.attemptsOf(task.id))[1]).toMatchObject({
      class: 'redirect_not_followed',
      http_status: 302,
      detail: `returned 302, a redirect to ${new URL(elsewhere.url).host}; redirects are not followed`,
    });
  });

  it('and asks for time gets it', async () => {
    const peer = await receiver(failing(429, { 'retry-after': '3600' }));
    const task = await stage.create(peer.url);

    const attempt = await eventually(async () => {
      const [, pushed] = await stage.attemptsOf(task.id);
      expect(pushed).toBeDefined();
      return pushed!;
    });
    const waitMs =
      (attempt['next_attempt_at'] as Date).getTime() - (attempt['started_at'] as Date).getTime();
    expect(waitMs).toBeGreaterThan(3_590_000);
    expect(waitMs).toBeLessThan(3_610_000);
  });

  it('gets the newest status after the failure, and the older ones never', async () => {
    const asked: string[] = [];
    let isDown = true;
    const peer = await receiver(
      onPush((received, response) => {
        asked.push((JSON.parse(received.body.toString()) as { status: string }).status);
        response.writeHead(isDown ? 500 : 200).end();
      }),
    );
    const patient = await stage.startAside({ CALLBACK_RETRY_DELAYS_MS: '400' });
    const queued = await stage.createQuietly(peer.url);
    await eventually(() => {
      expect(asked).toEqual(['queued']);
    });
    const running = await stage.move(queued, 'accepted', { wake: false });
    await stage.move(running, 'stored', { wake: false });
    isDown = false;

    await settled(queued.id, ['superseded', 'superseded', 'delivered']);
    await patient.stop();
    expect(asked).toEqual(['queued', 'succeeded']);
  });
});

describe('an address that is not public', () => {
  it('is never dialled, and pushing stops', async () => {
    const strict = await stage.startAside({ CALLBACK_ALLOW_CIDRS: '' });
    const peer = await receiver();
    const task = await stage.createQuietly(peer.url);

    expect(await stopped(task.id)).toMatchObject({ stop_reason: 'blocked', failures: 1 });
    await strict.stop();
    expect(peer.received).toEqual([]);
    expect(await stage.attemptsOf(task.id)).toMatchObject([
      { class: 'blocked_address', http_status: null, remote_address: null },
    ]);
  });
});

describe('the dispatcher’s health', () => {
  it('is good while its database and Redis respond', async () => {
    const response = await fetch(`${dispatcher.opsUrl}/readyz`);

    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      status: 'ok',
      checks: { database: 'ok', redis: 'ok', clock: 'ok' },
    });
  });
});
