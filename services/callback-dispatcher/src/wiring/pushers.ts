import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { SharedLimits } from '@gateway/limits';
import { createMediaLinks, mediaTokenDefaults, parseTokenKeys } from '@gateway/media';
import type { OutboundClient } from '@gateway/outbound';
import {
  countUnexpected,
  intervalPart,
  isUnexpected,
  newId,
  redact,
  runWith,
  type Log,
  type Part,
  type Registry,
  type SharedClock,
} from '@gateway/runtime';
import {
  createCallbackRecords,
  createCallbacks,
  endpointPushes,
  taskPushes,
  type Callbacks,
  type Database,
  type PushTables,
} from '@gateway/store';
import { createAttemptObserver } from '../adapters/attempt-observer.ts';
import { createGate } from '../adapters/gate.ts';
import { breakerGauge } from '../adapters/gauges.ts';
import { recordSafely } from '../adapters/record-safely.ts';
import { createSender } from '../adapters/sender.ts';
import { retryDelaysOf, type Settings } from '../config.ts';
import { createEndpointPushes, type EndpointPushes } from '../use-cases/endpoint-pushes.ts';
import type { FeedWaiting } from '../use-cases/feed-waiting.ts';
import type { Flow } from '../use-cases/flow.ts';
import { createPushEvents, type PushEventsPorts } from '../use-cases/push-events.ts';

/** 256 bits: nobody guesses a challenge. */
const tokenBytes = 32;
/** How often pushes to endpoints are looked for. */
const askMs = 200;
/** A process that stops waits so long for pushes under way. */
const stopGraceMs = 8_000;

interface PushClients {
  readonly client: OutboundClient;
  readonly database: Database;
  readonly clock: SharedClock;
  readonly limits: SharedLimits;
  readonly flow: Flow;
  readonly waiting: FeedWaiting;
  readonly log: Log;
  readonly metrics: Registry;
}

type PushEvents = ReturnType<typeof createPushEvents>;

export interface Pushers {
  /** Of the addresses that tasks were created with. */
  readonly pushEvents: PushEvents;
  readonly toEndpoints: {
    readonly start: EndpointPushes['start'];
    readonly parts: readonly Part[];
  };
}

/** Who pushes to either kind of address, under the same limits. */
export function pushersOf(settings: Readonly<Settings>, clients: PushClients): Pushers {
  const pushesOf = pushesFor(settings, clients);
  return {
    pushEvents: pushesOf(taskPushes),
    toEndpoints: endpointPushesOf(settings, {
      ...clients,
      callbacks: createCallbacks(clients.database, endpointPushes),
      pushEvents: pushesOf(endpointPushes),
    }),
  };
}

/** Who pushes what is in these tables; the limits, the gauges and the counters are of all of them. */
function pushesFor(
  settings: Readonly<Settings>,
  { client, database, clock, limits, flow, waiting, log, metrics }: PushClients,
): (tables: PushTables) => PushEvents {
  breakerGauge(limits.breakers, metrics);
  const { onAttempt, countDeferred } = createAttemptObserver(log, metrics);
  const recordAttemptOf = (tables: PushTables) =>
    recordSafely({
      records: createCallbackRecords(database, tables),
      onFailure: (error) => {
        log.warn('callback attempt not recorded yet', { error });
      },
      onUnlogged: (error) => {
        log.error('callback attempt recorded without its row in the delivery log', { error });
      },
    });
  const shared: Omit<PushEventsPorts, 'callbacks'> = {
    acquire: createGate({
      limits,
      flow,
      waiting,
      maxPerOrigin: settings.CALLBACK_MAX_PER_ORIGIN,
      maxPerAccount: settings.CALLBACK_MAX_PER_ACCOUNT,
    }),
    send: createSender({ client, timeoutMs: settings.CALLBACK_TIMEOUT_MS }),
    links: createMediaLinks({
      baseUrl: settings.PUBLIC_BASE_URL,
      keys: parseTokenKeys(settings.MEDIA_TOKEN_KEYS),
      ...mediaTokenDefaults,
      now: clock.date,
    }),
    rule: { delaysMs: retryDelaysOf(settings), timeoutMs: settings.CALLBACK_TIMEOUT_MS },
    ambient: {
      now: clock.date,
      random: Math.random,
      newToken: () => randomBytes(tokenBytes).toString('base64url'),
      newAttemptId: () => newId('attempt'),
      redact: (text) => String(redact(text)),
      onAttempt,
      onDefer(reason, receiver) {
        waiting.note(receiver);
        countDeferred(reason);
      },
    },
  };
  return (tables) =>
    createPushEvents({
      ...shared,
      callbacks: { ...createCallbacks(database, tables), recordAttempt: recordAttemptOf(tables) },
    });
}

interface EndpointClients extends Pick<PushClients, 'clock' | 'log'> {
  readonly callbacks: Callbacks;
  readonly pushEvents: PushEvents;
}

/** Pushes to endpoints, and the parts that keep them going. */
function endpointPushesOf(
  settings: Readonly<Settings>,
  { callbacks, pushEvents, clock, log }: EndpointClients,
): Pushers['toEndpoints'] {
  const ending = new AbortController();
  setMaxListeners(0, ending.signal); // one for each push under way is no leak
  const pushes = createEndpointPushes({
    push: (callbackId, ending) => {
      const [taskId = ''] = callbackId.split('.');
      return runWith({ requestId: callbackId, taskId }, () => pushEvents(callbackId, ending));
    },
    findDue: callbacks.findDue,
    isClockRight: clock.isRight,
    onFailure: (callbackId, error) => {
      if (isUnexpected(error)) countUnexpected('background');
      log.error('push to an endpoint failed, will be retried', { callbackId, error });
    },
    ending,
    now: () => performance.now(),
    most: settings.CALLBACK_CONCURRENCY,
  });
  return {
    start: pushes.start,
    parts: [
      {
        name: 'pushes to endpoints',
        stop: () => pushes.stop(stopGraceMs),
      },
      intervalPart({ name: 'find pushes to endpoints', everyMs: askMs, work: pushes.round, log }),
    ],
  };
}
