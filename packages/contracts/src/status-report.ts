import type { Configuration } from './configuration.ts';
import {
  breakerStates,
  type BreakerStanding,
  type LiveReplica,
  type ReplicaFacts,
} from './replica-facts.ts';

/** How submissions to one provider ended that came to nothing, by class, over the last hour. */
export interface ProviderFailures {
  readonly provider: string;
  readonly outcome: string;
  readonly count: number;
  readonly lastAt: Date;
  /** What the vendor said last. */
  readonly detail: string | null;
}

/** The tasks of one provider, according to the tables. */
export interface ProviderQueue {
  readonly provider: string;
  readonly slotsTaken: number;
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/** Work that is due and not done. */
export interface LateWork {
  readonly work: string;
  readonly count: number;
  readonly oldestSeconds: number;
}

export interface StatusFacts {
  readonly at: Date;
  /** The replica that answers; undefined where none does. */
  readonly answeredBy: string | undefined;
  readonly database: string;
  readonly migration: string | null;
  readonly queues: readonly ProviderQueue[];
  readonly failures: readonly ProviderFailures[];
  readonly late: readonly LateWork[];
  readonly replicas: readonly LiveReplica[];
}

type Providers = Pick<Configuration, 'providers'>['providers'];

/** Response of `GET /admin/v1/status`, and what the command prints for scripts. */
export const statusReport = (facts: StatusFacts, providers: Providers) => ({
  object: 'admin.status',
  at: facts.at.toISOString(),
  answered_by: facts.answeredBy ?? null,
  database: { version: facts.database, migration: facts.migration },
  providers: providerNames(facts, providers).map((name) => providerStatus(name, facts, providers)),
  text_routes: [...worstStates(facts.replicas, 'routes')]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([route, breaker]) => ({ route, breaker })),
  work: facts.late.map(({ work, count, oldestSeconds }) => ({
    work,
    due: count,
    oldest_seconds: oldestSeconds,
  })),
  replicas: facts.replicas.map(replicaResource),
});

/** Those of the configuration, and those that tasks are still at. */
const providerNames = ({ queues }: StatusFacts, providers: Providers): string[] =>
  [
    ...new Set([
      ...providers.keys(),
      ...queues
        .filter(({ slotsTaken, waiting }) => slotsTaken + waiting > 0)
        .map(({ provider }) => provider),
    ]),
  ].sort();

const minuteSeconds = 60;
const emptyQueue = { slotsTaken: 0, waiting: 0, oldestSeconds: 0 };

export const providerStatus = (name: string, facts: StatusFacts, providers: Providers) => {
  const configured = providers.get(name);
  const queue = facts.queues.find(({ provider }) => provider === name) ?? emptyQueue;
  return {
    object: 'provider',
    provider: name,
    kind: configured?.kind ?? null,
    configured: configured !== undefined,
    slots: { taken: queue.slotsTaken, allowed: configured?.maxConcurrent ?? null },
    queue: { waiting: queue.waiting, oldest_seconds: queue.oldestSeconds },
    breaker: worstStates(facts.replicas, 'breakers').get(name) ?? null,
    requests_per_second: {
      used: perSecond(callsTo(name, facts.replicas)),
      allowed: configured?.requestsPerSecond ?? null,
    },
    failures: facts.failures.filter(({ provider }) => provider === name).map(failureResource),
  };
};

/** Null: no replica says how many it made. */
function callsTo(provider: string, replicas: readonly LiveReplica[]): number | null {
  const told = replicas.flatMap(({ facts: { calls } }) => (calls === undefined ? [] : [calls]));
  return told.length === 0 ? null : told.reduce((sum, calls) => sum + (calls[provider] ?? 0), 0);
}

const perSecond = (callsInMinute: number | null): number | null =>
  callsInMinute === null ? null : Math.round((100 * callsInMinute) / minuteSeconds) / 100;

export const failureResource = ({ outcome, count, lastAt, detail }: ProviderFailures) => ({
  outcome,
  count,
  last_at: lastAt.toISOString(),
  detail,
});

/** By name, the worst that any replica sees: they share their breakers, and hear of changes one after the other. */
function worstStates(
  replicas: readonly LiveReplica[],
  of: 'breakers' | 'routes',
): ReadonlyMap<string, BreakerStanding> {
  const worst = new Map<string, BreakerStanding>();
  for (const { facts } of replicas) {
    for (const [name, state] of Object.entries(facts[of] ?? {})) {
      const known = worst.get(name) ?? 'closed';
      worst.set(name, breakerStates.indexOf(state) > breakerStates.indexOf(known) ? state : known);
    }
  }
  return worst;
}

export const replicaResource = ({
  id,
  service,
  version,
  startedAt,
  seenAt,
  facts,
}: LiveReplica) => ({
  object: 'replica',
  id,
  service,
  version,
  started_at: startedAt.toISOString(),
  seen_at: seenAt.toISOString(),
  configuration: configurationResource(facts),
});

export const configurationResource = ({ configuration }: ReplicaFacts) =>
  configuration === undefined
    ? null
    : {
        generation: configuration.generation,
        hash: configuration.hash,
        since: configuration.since,
        refused:
          configuration.refused === null
            ? null
            : {
                hash: configuration.refused.hash,
                at: configuration.refused.at,
                problems: configuration.refused.problems,
              },
      };
