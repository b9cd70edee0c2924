/** Which version of the operator's file a replica works with. */
export interface ConfigurationStanding {
  /** How many versions it has used since it started, this one included. */
  readonly generation: number;
  /** Of the file's text. */
  readonly hash: string;
  /** When it began to use this version. */
  readonly since: string;
  /** The last version that it refused; null once a later one was taken, and when there was none. */
  readonly refused: RefusedConfiguration | null;
}

export interface RefusedConfiguration {
  readonly hash: string;
  readonly at: string;
  /** One each, with the line of the file where there is one; the first of them where there are many. */
  readonly problems: readonly string[];
}

export const breakerStates = ['closed', 'half_open', 'open'] as const;
export type BreakerStanding = (typeof breakerStates)[number];

/** What a replica alone knows, and says of itself while it lives. */
export interface ReplicaFacts {
  readonly configuration?: ConfigurationStanding;
  /** Of a video-worker: the circuit breaker before each provider, as it sees it. */
  readonly breakers?: Readonly<Record<string, BreakerStanding>>;
  /** Of a video-worker: its calls to each provider in the last minute. */
  readonly calls?: Readonly<Record<string, number>>;
  /** Of an api: the circuit breaker of each text route that it used lately, as it sees it. */
  readonly routes?: Readonly<Record<string, BreakerStanding>>;
}

/** A replica that was there a moment ago. */
export interface LiveReplica {
  readonly id: string;
  readonly service: string;
  readonly version: string;
  readonly startedAt: Date;
  readonly seenAt: Date;
  readonly facts: ReplicaFacts;
}
