/**
 * What the processes of this bench say to each other: the coordinator sends jobs to the load
 * generator.
 */

export type Dialect = 'messages' | 'chat' | 'responses';

/** In which dialect a client asks, and which one the upstream speaks. */
export interface Route {
  readonly client: Dialect;
  readonly upstream: Dialect;
}

/** What the fake upstream does; `scripts.ts` says how much and how fast. */
export type Script = 'whole' | '100' | 'paced' | 'quick' | 'spaced';

/** A request body of about 20 MB: one base64 image, or very many messages. */
export type LargeBody = 'base64' | 'messages';

interface JobBase {
  readonly url: string;
  readonly apiKey: string;
  readonly route: Route;
  /** Processes whose CPU time is read at the start and the end of the measured window. */
  readonly pids: { readonly target: number; readonly upstream: number };
}

/** So many callers, each of which asks again as soon as its response is complete. */
export interface ClosedJob extends JobBase {
  readonly kind: 'closed';
  readonly script: Script;
  /** Of the gateway's configuration. Default: the upstream's own name of it. */
  readonly model?: string;
  /** Asked with in turn, instead of the one key; for responses that are no streams. */
  readonly apiKeys?: readonly string[];
  /** Sent beside the usual ones: names and values in turn. */
  readonly headers?: readonly string[];
  /** Of the body. Default: 1 kB. */
  readonly bodyBytes?: number;
  readonly callers: number;
  /** At least. */
  readonly warmUpSeconds: number;
  /** The warm-up goes on until there were so many. Default: none. */
  readonly warmUpResponses?: number;
  readonly seconds: number;
}

/**
 * So many streams held open, a finished one replaced at once; large bodies are posted beside them.
 */
export interface HeldJob extends JobBase {
  readonly kind: 'held';
  readonly script: Script;
  readonly streams: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly posts?: { readonly body: LargeBody; readonly count: number };
}

export type Job = ClosedJob | HeldJob;

/** Shares of one core over the measured window. NaN where the system does not tell. */
export interface Busy {
  readonly target: number;
  readonly upstream: number;
  readonly generator: number;
  /** Everything else on the machine, the databases of a gateway included. */
  readonly others: number;
  /**
   * How often the target read from its sockets: fewer than there were chunks means that some came
   * together.
   */
  readonly targetReads: number;
}

interface ResultBase {
  readonly seconds: number;
  readonly failed: number;
  readonly firstError?: string;
  readonly busy: Busy;
  /** Chunks as they came out of the client's HTTP parser. */
  readonly chunks: number;
}

export interface ClosedResult extends ResultBase {
  readonly kind: 'closed';
  readonly completed: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly firstByteMedianMs: number;
}

/** Delays run from the moment the upstream wrote a chunk to the moment the client had it. */
export interface HeldResult extends ResultBase {
  readonly kind: 'held';
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** For each large body, how long its response took and the longest delay of any chunk meanwhile. */
  readonly posts: readonly { readonly tookMs: number; readonly worstMs: number }[];
}

export type Result = ClosedResult | HeldResult;

export type Reply =
  { readonly ok: true; readonly result: Result } | { readonly ok: false; readonly problem: string };
