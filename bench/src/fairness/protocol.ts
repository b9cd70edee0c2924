/** What the processes of this bench say to each other: the coordinator gives each child one job at a time. */

export const attackNames = [
  'nested-json',
  'unfinished-bodies',
  'large-bodies',
  'failing-upstream',
  'hostile-media',
  'operations-routes',
  'unknown-keys',
] as const;
export type AttackName = (typeof attackNames)[number];

/** The small requests of a well-behaved account, for so many seconds. */
export interface CustomerJob {
  readonly kind: 'customer';
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
  readonly seconds: number;
}

/** One attack, until the coordinator says `stop`. */
export interface AttackJob {
  readonly kind: 'attack';
  readonly name: AttackName;
  readonly url: string;
  readonly apiKey: string;
  readonly model: string;
}

export interface Stop {
  readonly kind: 'stop';
}

export type Job = CustomerJob | AttackJob | Stop;

export interface CustomerResult {
  readonly requests: number;
  /** Those without a 200. */
  readonly failed: number;
  readonly firstFailure: string | undefined;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Of its requests of 300 kB, which are not among the others. */
  readonly mediumP50Ms: number;
}

/** What the attacker got, by status; `cut` for a connection that ended without one. */
export type AttackResult = Readonly<Record<string, number>>;

export type Reply =
  | { readonly ok: true; readonly result: CustomerResult | AttackResult }
  | { readonly ok: false; readonly problem: string };
