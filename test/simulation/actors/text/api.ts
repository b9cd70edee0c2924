import { GatewayError } from '@gateway/domain';
import { createOpenItems } from '@gateway/runtime';
import {
  createTextLeases as createStoredLeases,
  createUsageOutbox,
  type UsageOutbox,
} from '@gateway/store';
import { createRegistry } from '../../../../packages/runtime/src/metrics/metrics.ts';
import type { AskForLeases } from '../../../../services/api/src/adapters/lease-calls.ts';
import { createTextLeases } from '../../../../services/api/src/adapters/text-leases/text-leases.ts';
import { createTextMetering } from '../../../../services/api/src/adapters/text-metering.ts';
import type { OpenCompletion } from '../../../../services/api/src/text/client/index.ts';
import { createUsageSoFar } from '../../../../services/api/src/text/record/index.ts';
import { createModelProducer } from '../../stores/queue-model.ts';
import type { World } from '../../world/world.ts';
import { leaseTimes } from '../settings.ts';
import type { Footing, Surroundings } from '../surroundings.ts';
import {
  end,
  openCompletionOf,
  reservedNano,
  serve,
  type End,
  type Served,
  type Wish,
} from './request.ts';
import type { TextReplica } from './replica.ts';
import { spoolFilesOf, type TextWorld } from './world.ts';

/** Tokens that a client was told it has used. */
export interface Completion {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What clients of text call. */
export interface TextFace {
  complete(wish: Wish, client: AbortSignal): Promise<Completion>;
  /** As a process stops that is asked to: nothing is lost. */
  stop(): Promise<void>;
}

interface Serving {
  readonly world: World;
  readonly text: TextWorld;
  readonly ask: AskForLeases;
}

type Metering = ReturnType<typeof createTextMetering>;

/** One life of the api's text lane: its real leases and records; the call of the upstream is a script. */
export function beginText(
  { redis }: Pick<Surroundings, 'redis'>,
  footing: Footing,
  { world, text, ask }: Serving,
): TextFace {
  const { life, database, link, log } = footing;
  const replica = noteReplica(world, footing, text);
  const leases = createTextLeases({
    replicaId: life.name,
    ask: heard(ask, { world, replica }),
    findOpen: createStoredLeases(database).findOpen,
    ...leaseTimes,
    log,
    nowMs: world.now,
  });
  const metering = createTextMetering({
    outbox: noting(createUsageOutbox(database), { world, replica }),
    wake: createModelProducer(redis.state, { link, log }).wake,
    spoolFiles: spoolFilesOf(world, life, text.spool),
    replicaId: life.name,
    metrics: createRegistry('simulated'),
    log,
  });
  const open = createOpenItems<OpenCompletion>();
  const walk = createUsageSoFar({
    nowMs: world.now,
    defer: setImmediate,
    keep: metering.keepOpen,
  });
  for (const part of metering.parts) void part.start?.();
  life.every(1_000, () => {
    leases.tick();
    walk(open);
    return Promise.resolve();
  });
  const stopping = new AbortController();
  const produce = createProducing({ ...footing, world, text }, { open, metering, stopping });
  let atWork = 0;
  const serveWish = async (wish: Wish, client: AbortSignal): Promise<Completion> => {
    const reservation = await life.within(
      Promise.resolve(leases.reserve(wish.accountId, reservedNano(wish))),
    );
    const served = serve(wish, replica, { reservation, now: world.now() });
    if (client.aborted) served.request.facts.attempts = 0;
    else text.served.push(served);
    return produce(served, client);
  };
  return {
    async complete(wish, client) {
      if (stopping.signal.aborted) throw new GatewayError('overloaded', 'it is restarting');
      atWork += 1;
      try {
        return await serveWish(wish, client);
      } finally {
        atWork -= 1;
      }
    },
    async stop() {
      stopping.abort();
      // Those that wait for quota come to an end too, and the usage of all is recorded.
      do await life.pause(2 * pieceMs);
      while (atWork > 0);
      for (const part of [leases.part, ...metering.parts].reverse()) await life.within(part.stop());
      replica.isStopped = true;
    },
  };
}

function noteReplica(world: World, { life }: Footing, text: TextWorld): TextReplica {
  const replica: TextReplica = {
    id: life.name,
    keptAt: [],
    heardAt: [],
    endedAt: undefined,
    isStopped: false,
  };
  text.replicas.set(replica.id, replica);
  life.onEnd(() => {
    replica.endedAt = world.now();
  });
  return replica;
}

interface Noting {
  readonly world: World;
  readonly replica: TextReplica;
}

const heard =
  (ask: AskForLeases, { world, replica }: Noting): AskForLeases =>
  async (request) => {
    const begunAt = world.now();
    const response = await ask(request);
    replica.heardAt.push(begunAt);
    return response;
  };

const noting = (outbox: UsageOutbox, { world, replica }: Noting): UsageOutbox => ({
  ...outbox,
  async keepOpen(open) {
    const begunAt = world.now();
    await outbox.keepOpen(open);
    replica.keptAt.push(begunAt);
    replica.heardAt.push(begunAt);
  },
});

interface Producing {
  readonly open: ReturnType<typeof createOpenItems<OpenCompletion>>;
  readonly metering: Metering;
  readonly stopping: AbortController;
}

/** How long an upstream is silent between two pieces. */
const pieceMs = 700;

/** The upstream writes, and its client reads, until one of them has had enough. */
function createProducing(
  { world, life, text }: Footing & Pick<Serving, 'world' | 'text'>,
  { open, metering, stopping }: Producing,
): (served: Served, client: AbortSignal) => Promise<Completion> {
  const { dice } = world;
  const howItEnds = async (served: Served, client: AbortSignal): Promise<End> => {
    const { writes, durationMs } = served.wish;
    if (dice.chance(text.mood.refused)) {
      for (let leftMs = dice.between(20, 3_000); leftMs > 0; leftMs -= pieceMs) {
        await life.pause(Math.min(pieceMs, leftMs));
        if (stopping.signal.aborted) return 'broken off';
      }
      return 'refused';
    }
    const breaksOffAt = dice.chance(text.mood.brokenOff) ? dice.between(0, durationMs) : Infinity;
    for (let passedMs = 0; passedMs < durationMs;) {
      const ms = Math.min(pieceMs, durationMs - passedMs);
      await life.pause(ms);
      passedMs += ms;
      if (client.aborted) return 'left';
      if (stopping.signal.aborted || passedMs >= breaksOffAt) return 'broken off';
      served.sent = Math.floor((writes * passedMs) / durationMs);
    }
    return 'completed';
  };
  return async (served, client) => {
    const completion = openCompletionOf(served);
    open.add(completion);
    const how = client.aborted ? 'left' : await howItEnds(served, client);
    open.remove(completion);
    end(served, { how, now: world.now(), record: metering.record });
    if (how !== 'completed') throw new GatewayError('upstream_error', `the request was ${how}`);
    return { inputTokens: served.wish.prompt, outputTokens: served.sent };
  };
}
