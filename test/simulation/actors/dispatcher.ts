import { createMediaLinks, mediaTokenDefaults, parseTokenKeys } from '@gateway/media';
import { newId } from '@gateway/runtime';
import { createCallbackRecords, createCallbacks, type Callbacks } from '@gateway/store';
import { createGate } from '../../../services/callback-dispatcher/src/adapters/gate.ts';
import { recordSafely } from '../../../services/callback-dispatcher/src/adapters/record-safely.ts';
import { callbackPushHandler } from '../../../services/callback-dispatcher/src/handlers/callback-push.ts';
import { createFeedWaiting } from '../../../services/callback-dispatcher/src/use-cases/feed-waiting.ts';
import { createFlow } from '../../../services/callback-dispatcher/src/use-cases/flow.ts';
import {
  createPushEvents,
  type PushEventsPorts,
} from '../../../services/callback-dispatcher/src/use-cases/push-events.ts';
import { createSweepDue } from '../../../services/callback-dispatcher/src/use-cases/sweep-due.ts';
import { createModelConsumer, createModelProducer } from '../stores/queue-model.ts';
import { createLoneLimits } from './limits.ts';
import { attemptTimeoutMs } from './receiver.ts';
import type { Footing, Surroundings } from './surroundings.ts';

/** Of one account and origin, and of one account. Few, so that pushes have to wait for each other. */
const most = { maxPerOrigin: 2, maxPerAccount: 3 };
const mostInFlight = 8;
const tokenKeys = `k1:${Buffer.alloc(32, 1).toString('base64')}`;

type Gating = ReturnType<typeof gatingOf>;

/** One life of the callback-dispatcher. */
export function beginDispatcher(surroundings: Surroundings, footing: Footing): void {
  const { redis, promised } = surroundings;
  const { life, clock, database, link, log } = footing;
  const callbacks = createCallbacks(database);
  const producer = createModelProducer(redis.state, { link, log });
  const wakeAll = (ids: readonly string[]): Promise<void> => producer.wakeAll('callback.push', ids);
  const gating = gatingOf(surroundings, footing, { callbacks, wakeAll });
  const consumer = createModelConsumer(redis.state, {
    ...callbackPushHandler({
      pushEvents: createPushEvents(portsOf(surroundings, footing, { callbacks, gating })),
      dueAmong: callbacks.dueAmong,
      wake: (taskId) => producer.wake('callback.push', taskId),
    }),
    concurrency: mostInFlight,
    isClockRight: clock.isRight,
    log,
    link,
  });
  void consumer.part.start?.();
  const sweepDue = createSweepDue({
    ...callbacks,
    wakeAll,
    hurry: (taskId) => producer.wake('callback.push', taskId, { hurry: true }),
  });
  life.every(promised.callbackSweepMs, async () => {
    try {
      await gating.waiting.findAll();
    } finally {
      await sweepDue();
    }
  });
  life.every(promised.feedMs, gating.waiting.feed);
}

function gatingOf(
  { world, promised }: Surroundings,
  { life }: Footing,
  { callbacks, wakeAll }: { callbacks: Callbacks; wakeAll(ids: readonly string[]): Promise<void> },
) {
  const flow = createFlow({ ...most, maxInFlight: mostInFlight, slowAfterMs: 1_000 }, world.now);
  const waiting = createFeedWaiting({ ...callbacks, flow, wakeAll, now: world.now });
  const limits = createLoneLimits(world, life, {
    failuresToOpen: 5,
    coolDownMs: promised.coolDownMs,
    longestCoolDownMs: promised.longestCoolDownMs,
  });
  return { waiting, acquire: createGate({ limits, flow, waiting, ...most }) };
}

function portsOf(
  { world, receivers, promised }: Surroundings,
  { life, clock, database, log }: Footing,
  { callbacks, gating }: { readonly callbacks: Callbacks; readonly gating: Gating },
): PushEventsPorts {
  const now = clock.date;
  let tokens = 0;
  const recordAttempt = recordSafely({
    records: createCallbackRecords(database),
    onFailure: (error) => {
      log.warn('callback attempt not recorded yet', { error });
    },
    onUnlogged: (error) => {
      log.error('callback attempt recorded without its row in the delivery log', { error });
    },
  });
  return {
    callbacks: { ...callbacks, recordAttempt },
    acquire: gating.acquire,
    send: (request) => life.within(receivers.post(request)),
    links: createMediaLinks({
      baseUrl: 'https://gateway.example',
      keys: parseTokenKeys(tokenKeys),
      ...mediaTokenDefaults,
      now,
    }),
    rule: { delaysMs: promised.callbackRetryMs, timeoutMs: attemptTimeoutMs },
    ambient: {
      now,
      random: world.dice.roll,
      newToken: () => `${life.name}-${(tokens += 1)}`,
      newAttemptId: () => newId('attempt'),
      redact: (text) => text,
      onAttempt: () => undefined,
      onDefer: (_reason, receiver) => {
        gating.waiting.note(receiver);
      },
    },
  };
}
