import type { Side } from '@gateway/testing';
import { createDice, type Dice } from './random.ts';
import { peers, type Peer } from './wires.ts';
import { dealKinds, type TaskKind } from './task-kinds.ts';

/** The processes of the run, by the name they have in the suite. */
export const processNames = [
  'api',
  'billing',
  'video-worker',
  'video-worker-2',
  'callback-dispatcher',
  'callback-dispatcher-2',
  'sandbox-vendor',
] as const;
export type ProcessName = (typeof processNames)[number];

/** Those whose clocks are set: two replicas of each, so that one has the right time. */
export const clockedProcesses = [
  'video-worker',
  'video-worker-2',
  'callback-dispatcher',
  'callback-dispatcher-2',
] as const satisfies readonly ProcessName[];
export type ClockedProcess = (typeof clockedProcesses)[number];

/** One video that one customer wants, and how they go about it. */
export interface VideoOrder {
  /** Names the order in the task's metadata, in its callback path and in the request id. */
  readonly ref: string;
  readonly atMs: number;
  /** Which customer asks. */
  readonly customer: number;
  readonly kind: TaskKind;
  readonly hasKey: boolean;
  /** Sends the same request again, at once or a while later; only with a key. */
  readonly repeatAfterMs?: number;
  /** Sends another body under the same key. */
  readonly reusesKey: boolean;
  readonly cancelAfterMs?: number;
  /** `dead`: a receiver that never takes anything. */
  readonly callback: 'none' | 'usual' | 'dead';
}

export interface TextOrder {
  readonly ref: string;
  readonly atMs: number;
  readonly stream: boolean;
}

export interface VendorFault {
  readonly operation: 'create' | 'get' | 'list' | 'file' | 'delete';
  readonly action: 'status' | 'page' | 'drop-before' | 'drop-after' | 'delay' | 'garbage';
  readonly times: number;
  readonly status?: number;
}

/** Something that goes wrong. */
export type Disturbance =
  | { readonly kind: 'kill'; readonly process: ProcessName }
  | {
      readonly kind: 'pause';
      readonly process: ProcessName;
      readonly forMs: number;
      /** Its locks in Redis go at once, so that another takes over while it is paused. */ readonly flush: boolean;
    }
  | { readonly kind: 'roll' }
  | { readonly kind: 'flush' }
  | { readonly kind: 'kill redis' }
  | { readonly kind: 'terminate backends' }
  | { readonly kind: 'stop postgres' }
  | { readonly kind: 'vendor fault'; readonly fault: VendorFault }
  | { readonly kind: 'receiver outage'; readonly forMs: number }
  | {
      /** Nothing comes through in one direction or either, and nothing is closed. */
      readonly kind: 'silence';
      readonly peer: Peer;
      readonly towards: readonly Side[];
      readonly forMs: number;
      /** Whether another server answers at the address afterwards, instead of the same. */
      readonly isReplaced: boolean;
    }
  | {
      readonly kind: 'wrong clock';
      readonly process: ClockedProcess;
      readonly aheadMs: number;
      readonly forMs: number;
    };

export type TimedDisturbance = Disturbance & { readonly atMs: number };

export interface ChaosPlan {
  readonly videos: readonly VideoOrder[];
  readonly texts: readonly TextOrder[];
  readonly disturbances: readonly TimedDisturbance[];
}

export interface PlanOptions {
  readonly seed: number;
  readonly tasks: number;
  readonly texts: number;
  /** The time over which everything is spread. */
  readonly forMs: number;
  /** How often everything that can go wrong does. */
  readonly rounds: number;
  /** How long a worker is paused: longer than its job's lock, 15 s, where there is time. */
  readonly workerPauseMs: number;
  /** How long silences last: one of these each. */
  readonly silencesMs: readonly number[];
}

/** Customers who can pay for everything, and one who cannot. */
export const richCustomers = 4;
export const poorCustomer = richCustomers;

/** Who wants what when, and what goes wrong when: the same for the same seed. */
export function planChaos(options: PlanOptions): ChaosPlan {
  const dice = createDice(options.seed);
  const { tasks, texts, forMs } = options;
  return {
    videos: dealKinds(tasks, dice).map((kind, index) =>
      aVideo({ kind, index, atMs: timeOf(index, { count: tasks, forMs }) }, dice),
    ),
    texts: Array.from({ length: texts }, (_unused, index) => ({
      ref: `text-${index}`,
      atMs: timeOf(index, { count: texts, forMs }),
      stream: dice.chance(0.5),
    })),
    disturbances: Array.from({ length: options.rounds }, (_unused, round) =>
      aRound(round, options, dice),
    ).flat(),
  };
}

const timeOf = (index: number, { count, forMs }: { count: number; forMs: number }): number =>
  Math.round((index / count) * forMs);

function aVideo(
  { kind, index, atMs }: { kind: TaskKind; index: number; atMs: number },
  dice: Dice,
): VideoOrder {
  const hasKey = dice.chance(0.6);
  const repeats = hasKey && dice.chance(0.4);
  const cancels = dice.chance(0.08);
  return {
    ref: `video-${index}`,
    atMs,
    kind,
    hasKey,
    customer: dice.chance(0.15) ? poorCustomer : dice.between(0, richCustomers - 1),
    ...(repeats && { repeatAfterMs: dice.chance(0.5) ? 0 : dice.between(100, 4_000) }),
    reusesKey: repeats && dice.chance(0.2),
    ...(cancels && { cancelAfterMs: dice.between(0, 1_500) }),
    callback: dice.chance(0.3) ? 'none' : dice.chance(0.04) ? 'dead' : 'usual',
  };
}

/**
 * Everything that can go wrong, once, in an order of its own. Workers are paused early in a round,
 * for that takes longest.
 */
function aRound(
  round: number,
  { rounds, forMs, workerPauseMs, silencesMs }: PlanOptions,
  dice: Dice,
): TimedDisturbance[] {
  const silences = dice.shuffle(peers).map((peer) => aSilence(peer, silencesMs, dice));
  const long = dice.shuffle([
    ...longOnes(workerPauseMs, dice),
    ...silences,
    aWrongClock(workerPauseMs, dice),
  ]);
  const all = [...long, ...dice.shuffle(shortOnes(dice))];
  const roundMs = forMs / rounds;
  return all.map((one, index) => ({
    ...one,
    atMs: Math.round(roundMs * (round + (index + dice.roll() * 0.8) / all.length)),
  }));
}

const longOnes = (workerPauseMs: number, dice: Dice): Disturbance[] => [
  {
    kind: 'pause',
    process: dice.pick(['video-worker', 'video-worker-2']),
    forMs: Math.round(workerPauseMs * (1 + dice.roll() * 0.3)),
    flush: dice.chance(0.5) || workerPauseMs < 15_000,
  },
  {
    kind: 'pause',
    process: dice.pick(['callback-dispatcher', 'callback-dispatcher-2']),
    forMs: Math.round(workerPauseMs * (1 + dice.roll() * 0.3)),
    flush: false,
  },
  { kind: 'roll' },
];

function aSilence(peer: Peer, silencesMs: readonly number[], dice: Dice): Disturbance {
  return {
    kind: 'silence',
    peer,
    towards: dice.pick([['server', 'client'], ['server'], ['client']] as const),
    forMs: dice.pick(silencesMs),
    isReplaced: dice.chance(0.5),
  };
}

const hourMs = 3_600_000;

const aWrongClock = (forMs: number, dice: Dice): Disturbance => ({
  kind: 'wrong clock',
  process: dice.pick(clockedProcesses),
  aheadMs: dice.chance(0.5) ? hourMs : -hourMs,
  forMs,
});

const shortOnes = (dice: Dice): Disturbance[] => [
  ...processNames.map((process) => ({ kind: 'kill', process }) as const),
  ...(['api', 'billing', 'sandbox-vendor'] as const).map(
    (process) =>
      ({ kind: 'pause', process, forMs: dice.between(1_000, 4_500), flush: false }) as const,
  ),
  { kind: 'flush' },
  { kind: 'kill redis' },
  { kind: 'terminate backends' },
  { kind: 'terminate backends' },
  { kind: 'stop postgres' },
  { kind: 'receiver outage', forMs: dice.between(1_000, 4_000) },
  ...dice
    .shuffle(vendorFaults)
    .slice(0, 5)
    .map((fault) => ({ kind: 'vendor fault', fault }) as const),
];

/**
 * Beside what the prompts ask for. None of them means a refusal: the tasks have to come through.
 */
const vendorFaults: readonly VendorFault[] = [
  { operation: 'create', action: 'drop-before', times: 1 },
  { operation: 'create', action: 'drop-after', times: 2 },
  { operation: 'create', action: 'status', times: 2, status: 429 },
  { operation: 'create', action: 'status', times: 1, status: 503 },
  { operation: 'create', action: 'garbage', times: 1 },
  { operation: 'get', action: 'status', times: 20, status: 500 },
  // For a moment it knows none of its tasks.
  { operation: 'get', action: 'status', times: 10, status: 404 },
  { operation: 'get', action: 'garbage', times: 20 },
  { operation: 'get', action: 'drop-before', times: 10 },
  { operation: 'list', action: 'status', times: 3, status: 502 },
  { operation: 'file', action: 'drop-after', times: 3 },
  { operation: 'file', action: 'status', times: 3, status: 503 },
  { operation: 'delete', action: 'drop-after', times: 1 },
  // From whatever stands in front of the vendor, who knows nothing of it.
  { operation: 'create', action: 'page', times: 4, status: 403 },
  { operation: 'create', action: 'page', times: 4, status: 413 },
  { operation: 'get', action: 'page', times: 20, status: 404 },
  { operation: 'list', action: 'page', times: 3, status: 401 },
  { operation: 'file', action: 'page', times: 3, status: 200 },
  { operation: 'file', action: 'page', times: 2, status: 403 },
];
