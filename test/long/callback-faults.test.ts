import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@gateway/runtime';
import { createCallbackRecords, createCallbacks, type Callbacks } from '@gateway/store';
import { eventually, openReceiver, type Peer, type Received } from '@gateway/testing';
import fc from 'fast-check';
import type { SendOutcome } from '../../services/callback-dispatcher/src/use-cases/attempt.ts';
import {
  claimMarginMs,
  createPushEvents,
  type PushEventsPorts,
} from '../../services/callback-dispatcher/src/use-cases/push-events.ts';
import { openStage, type Stage } from '../component/callback-dispatcher-stage.ts';
import { ordersHold, play, taskStories } from '../component/callback-story.ts';

let stage: Stage;
const peers: Peer[] = [];

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
afterEach(async () => {
  await stage.stopDispatchers();
  for (const peer of peers.splice(0)) await peer.close();
});

type Misbehaviour = NonNullable<Parameters<typeof openReceiver>[0]>;
type Response = Parameters<Misbehaviour>[1];

/** A receiver that echoes the challenge and leaves every push to the story. */
async function receiver(onPush?: (received: Received, response: Response) => void) {
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
const sequenceOf = ({ headers }: Received): number => Number(headers['x-gateway-sequence']);

describe('T-LOST: a wake-up that was lost', () => {
  it('is made up for by the reconciler, at the first event and at every later one', async () => {
    await stage.startAside();
    const peer = await receiver();
    const queued = await stage.createQuietly(peer.url);
    await settled(queued.id, ['delivered']);

    await stage.move(queued, 'accepted', { wake: false });

    await settled(queued.id, ['delivered', 'delivered']);
  });

  it('because Redis was emptied is made up for as well: before anybody was at work, and while a retry waited there', async () => {
    let refusals = 1;
    const peer = await receiver((_received, response) => {
      response.writeHead((refusals -= 1) >= 0 ? 500 : 200).end();
    });
    const queued = await stage.create(peer.url);
    expect(await stage.emptyQueue()).toBeGreaterThan(0);
    await stage.start({ CALLBACK_RETRY_DELAYS_MS: '1500', CALLBACK_SWEEP_MS: '50' });
    await eventually(() => {
      expect(peer.pushes()).toHaveLength(1);
    });
    await eventually(async () => {
      expect(await stage.callbackOf(queued.id)).toMatchObject({ failures: 1, claim_token: null });
    });

    await eventually(async () => {
      expect(await stage.emptyQueue()).toBeGreaterThan(0);
    });

    await settled(queued.id, ['delivered']);
    expect(peer.pushes().map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(2).fill(`msg_${queued.id.slice(6)}_1`),
    );
  });

  it('that was swallowed because its job was active is not missed, without the reconciler', async () => {
    let respondToFirst = (): void => undefined;
    await stage.start();
    const peer = await receiver((received, response) => {
      if (sequenceOf(received) === 1) respondToFirst = () => response.end();
      else response.end();
    });
    const queued = await stage.create(peer.url);
    await eventually(() => {
      expect(peer.pushes()).toHaveLength(1);
    });

    await stage.move(queued, 'accepted');
    respondToFirst();

    await settled(queued.id, ['delivered', 'delivered']);
  });
});

describe('T-ORD: two dispatchers on one database', () => {
  it('never send a status after a newer one, nor one twice, whatever receivers do', async () => {
    const dispatchers = [
      await stage.startAside({ CALLBACK_RETRY_DELAYS_MS: '10,20,30,40,50' }),
      await stage.startAside({ CALLBACK_RETRY_DELAYS_MS: '10,20,30,40,50' }),
    ];

    await fc.assert(
      fc.asyncProperty(taskStories({ tasks: 15 }), async (stories) => {
        for (const played of await play(stage, stories, { withinMs: 30_000 })) {
          ordersHold(played);
          const taken = played.posts
            .filter(({ reaction: reaction }) => reaction === 'taken')
            .map(({ sequence }) => sequence);
          expect(taken).toEqual([...new Set(taken)]);
          expect(
            (await stage.pushStates(played.taskId)).filter((state) => state === 'delivered'),
          ).toHaveLength(taken.length);
        }
      }),
      { seed: 7, numRuns: 4, endOnFailure: true },
    );

    for (const { log } of dispatchers)
    // both took part
    {
      expect(log.lines.some(({ message }) => message === 'callback attempt')).toBe(true);
    }
  });

  it('take over from one another when a claim has run out, and the late writer changes nothing', async () => {
    const held: Response[] = [];
    const peer = await receiver((_received, response) => {
      if (held.push(response) > 1) response.end();
    });
    const slow = await stage.start();
    const queued = await stage.create(peer.url);
    await eventually(() => {
      expect(held).toHaveLength(1);
    });

    await stage.sql(
      `UPDATE callback SET claimed_until = now() - interval '1 second' WHERE task_id = $1`,
      [queued.id],
    );
    await stage.startAside();
    await settled(queued.id, ['delivered']);
    const before = [await stage.callbackOf(queued.id), await stage.attemptsOf(queued.id)];
    held[0]!.writeHead(410).end();

    await eventually(() => {
      expect(slow.log.lines.map(({ message }) => message)).toContain(
        'callback attempt not recorded: the task was deleted, or the claim lost to another dispatcher',
      );
    });
    expect([await stage.callbackOf(queued.id), await stage.attemptsOf(queued.id)]).toEqual(before);
    expect(peer.pushes().map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(2).fill(`msg_${queued.id.slice(6)}_1`),
    );
  });
});

describe('a dispatcher that lost its claim while it pushed', () => {
  it.each([[200], [410], [500]])(
    'leaves the response to whoever took over %i, and looks again',
    async (status) => {
      const task = await stage.createQuietly('https://receiver.example/');
      await stage.sql(
        `UPDATE callback SET state = 'verified', verified_at = now() WHERE task_id = $1`,
        [task.id],
      );
      const pushEvents = usePushEvents({
        async send() {
          await stage.sql(`UPDATE callback SET claim_token = 'another' WHERE task_id = $1`, [
            task.id,
          ]);
          return { ...delivered, status };
        },
      });

      await expect(pushEvents(task.id, new AbortController().signal)).resolves.toEqual({
        kind: 'retry',
        afterMs: 1_000,
      });

      expect(await stage.pushStates(task.id)).toEqual(['pending']);
      expect(await stage.callbackOf(task.id)).toMatchObject({
        state: 'verified',
        failures: 0,
        attempts: 0,
        claim_token: 'another',
      });
      await forget(task.id);
    },
  );
});

describe('T-RETRY: a fault of our own', () => {
  it('while a success is written repeats the writing, not the push', async () => {
    const dispatcher = await stage.startAside();
    const peer = await receiver((_received, response) => {
      void stage
        .sql('ALTER TABLE callback_attempt RENAME TO callback_attempt_away')
        .then(() => response.end());
    });
    const task = await stage.createQuietly(peer.url);
    await eventually(() => {
      expect(dispatcher.log.lines.map(({ message }) => message)).toContain(
        'callback attempt not recorded yet',
      );
    });

    await stage.sql('ALTER TABLE callback_attempt_away RENAME TO callback_attempt');

    await settled(task.id, ['delivered']);
    await dispatcher.stop();
    expect(peer.pushes()).toHaveLength(1);
    expect(await stage.attemptsOf(task.id)).toHaveLength(2);
  });

  it('before an attempt spends none of the receiver’s', async () => {
    const dispatcher = await stage.startAside();
    const peer = await receiver();
    await stage.sql('ALTER TABLE callback_secret RENAME TO callback_secret_away');
    const task = await stage.createQuietly(peer.url);
    await eventually(() => {
      expect(dispatcher.log.lines).toContainEqual(
        expect.objectContaining({ level: 'error', message: 'job failed, will be retried' }),
      );
    });
    await dispatcher.stop();

    expect(peer.received).toEqual([]);
    expect(await stage.callbackOf(task.id)).toMatchObject({
      state: 'unverified',
      failures: 0,
      attempts: 0,
      claim_token: null,
    });

    await stage.sql('ALTER TABLE callback_secret_away RENAME TO callback_secret');
    await stage.startAside();
    await settled(task.id, ['delivered']);
  });
});

describe('a process that was frozen between claim and attempt', () => {
  it('does not begin an attempt that would outlive the claim', async () => {
    const task = await stage.createQuietly('https://receiver.example/');
    let clockMs = Date.now();
    let sent = 0;
    const pushEvents = usePushEvents({
      claim(request) {
        clockMs += claimMarginMs + 1;
        return createCallbacks(stage.test.database).claim(request);
      },
      send: () => {
        sent += 1;
        return Promise.resolve(interrupted);
      },
      now: () => new Date(clockMs),
    });

    await expect(pushEvents(task.id, new AbortController().signal)).resolves.toEqual({
      kind: 'retry',
      afterMs: 1_000,
    });

    expect(sent).toBe(0);
    expect(await stage.callbackOf(task.id)).toMatchObject({ attempts: 0, claim_token: null });
    await forget(task.id);
  });
});

describe('a stop of the dispatcher', () => {
  it('lets the push that is under way finish', async () => {
    const responses: Response[] = [];
    const dispatcher = await stage.start();
    const peer = await receiver((_received, response) => {
      responses.push(response);
    });
    const task = await stage.create(peer.url);
    await eventually(() => {
      expect(responses).toHaveLength(1);
    });

    const stopping = dispatcher.stop();
    await eventually(async () => {
      expect((await fetch(`${dispatcher.opsUrl}/readyz`)).status).toBe(503);
    });
    responses[0]!.end();
    await stopping;

    expect(await stage.pushStates(task.id)).toEqual(['delivered']);
    expect(await stage.callbackOf(task.id)).toMatchObject({ claim_token: null });
  });

  it('begins no other push, and hands the rest back', async () => {
    const queued = await stage.createQuietly('https://receiver.example/');
    await stage.sql(
      `UPDATE callback SET state = 'verified', verified_at = now() WHERE task_id = $1`,
      [queued.id],
    );
    await stage.move(queued, 'accepted', { wake: false });
    const ending = new AbortController();
    const pushEvents = usePushEvents({
      send: () => {
        ending.abort();
        return Promise.resolve(delivered);
      },
    });

    await expect(pushEvents(queued.id, ending.signal)).resolves.toEqual({
      kind: 'retry',
      afterMs: 1_000,
    });

    expect(await stage.pushStates(queued.id)).toEqual(['delivered', 'pending']);
    expect(await stage.callbackOf(queued.id)).toMatchObject({ claim_token: null });
    await forget(queued.id);
  });

  it('counts nothing against a receiver whose push was cut off', async () => {
    const task = await stage.createQuietly('https://receiver.example/');
    const pushEvents = usePushEvents({ send: () => Promise.resolve(interrupted) });

    await expect(pushEvents(task.id, AbortSignal.abort())).resolves.toEqual({
      kind: 'retry',
      afterMs: 1_000,
    });
    await expect(pushEvents(task.id, new AbortController().signal)).resolves.toEqual({
      kind: 'retry',
      afterMs: 1_000,
    });

    expect(await stage.callbackOf(task.id)).toMatchObject({
      failures: 0,
      attempts: 0,
      claim_token: null,
    });
    await forget(task.id);
  });
});

const interrupted: SendOutcome = { kind: 'interrupted' };
const delivered: Extract<SendOutcome, { kind: 'responded' }> = {
  kind: 'responded',
  status: 200,
  headers: {},
  body: new Uint8Array(),
  durationMs: 1,
  remoteAddress: '192.0.2.7',
};

interface Stubs {
  readonly send: PushEventsPorts['send'];
  readonly claim?: Callbacks['claim'];
  readonly now?: () => Date;
}

/** The use case over the real store, where a story needs a sender or a clock of its own. */
function usePushEvents({ send, claim, now }: Stubs): ReturnType<typeof createPushEvents> {
  const { database } = stage.test;
  return createPushEvents({
    callbacks: {
      ...createCallbacks(database),
      ...createCallbackRecords(database),
      ...(claim && { claim }),
    },
    acquire: () => Promise.resolve({ kind: 'granted', release: () => undefined }),
    send,
    links: { video: () => '', lastFrame: () => '', poster: () => '' },
    rule: { delaysMs: [10], timeoutMs: 1_000 },
    ambient: {
      now: now ?? (() => new Date()),
      random: Math.random,
      newToken: () => 'token',
      newAttemptId: () => newId('attempt'),
      redact: (text) => text,
      onAttempt: () => undefined,
      onDefer: () => undefined,
    },
  });
}

/** What a later story's reconciler must not find. */
const forget = (taskId: string) => stage.sql('DELETE FROM callback WHERE task_id = $1', [taskId]);
