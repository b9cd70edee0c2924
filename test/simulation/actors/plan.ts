import { createDice, type Dice } from '../../chaos/random.ts';
import type { Promised, Tempo } from './settings.ts';

/** What can go wrong at one moment. */
export const accidentNames = [
  'kill',
  'kill soon after',
  'stall',
  'stall all',
  'freeze',
  'flush',
  'redis away',
  'postgres away',
  'vendor away',
  'vendors away',
  'wrong clock',
] as const;
/** Of worlds with text alone: an api is replaced in order. */
const rolling = 'roll';
/** Of some worlds alone: a standby takes over that lacks the last commits. */
const failOver = 'fail-over';
/** Of some worlds alone: the database is reached, and does not respond. */
const silence = 'postgres silent';
export type AccidentName =
  (typeof accidentNames)[number] | typeof rolling | typeof failOver | typeof silence;

const vendorShares = {
  notSent: 0.06,
  busy: 0.08,
  page: 0.04,
  refused: 0.04,
  lostResponse: 0.08,
  noAnswer: 0.08,
};

/** What goes wrong again and again, each with its share of all cases. */
export const shares = {
  weather: { lostBefore: 0.015, lostAfter: 0.015 },
  storage: { unavailable: 0.15, ourFault: 0.1 },
  receivers: { error: 0.08, busy: 0.04, hang: 0.04, reset: 0.06, redirect: 0.01, gone: 0.01 },
  lister: vendorShares,
  mute: vendorShares,
  upstream: { refused: 0.05, brokenOff: 0.06 },
  repeats: { repeated: 0.1 },
} as const;
export type ShareName = keyof typeof shares;
/** Those of every world; text has one more, and so have worlds that repeat. */
export const shareNames = ['weather', 'storage', 'receivers', 'lister', 'mute'] as const;

/** One thing that goes wrong. It has dice of its own, so that leaving out another one changes nothing of it. */
export type Fault =
  | { readonly kind: 'share'; readonly of: ShareName; readonly factor: number }
  | {
      readonly kind: 'accident';
      readonly name: AccidentName;
      readonly atMs: number;
      readonly seed: number;
    };

/** All that goes wrong in a world, and for how long. */
export interface Plan {
  readonly tempo: Tempo;
  /** Customers ask for text too. */
  readonly hasText: boolean;
  /** Workers also ask the vendor with a list about many tasks at once. */
  readonly pollsMany: boolean;
  /** Workers speak to vendors through the real adapters, in their wire formats. */
  readonly speaksWire: boolean;
  readonly forMs: number;
  readonly faults: readonly Fault[];
  /** Where it differs from its tempo's. */
  readonly promised?: Partial<Promised>;
}

/** Replicas are what fails most. */
const accidents: readonly AccidentName[] = [
  'kill',
  'kill',
  'kill',
  'stall',
  'stall',
  'flush',
  'redis away',
  'postgres away',
  'vendor away',
  'wrong clock',
];

/** How long they last, and how long it may be from one accident to the next. */
const storms: Readonly<
  Record<Exclude<Tempo, 'brief'>, Record<'leastMs' | 'mostMs' | 'pauseMs', number>>
> = {
  brisk: { leastMs: 60_000, mostMs: 300_000, pauseMs: 25_000 },
  patient: { leastMs: 3_600_000, mostMs: 21_600_000, pauseMs: 900_000 },
};

/** The plan of one seed: every fourth world is patient, and in every fifth, unless patient, is text. */
export function planOf(seed: number): Plan {
  const dice = createDice(seed ^ 0x9_1a40);
  const tempo = seed % 4 === 0 ? 'patient' : 'brisk';
  const { leastMs, mostMs, pauseMs } = storms[tempo];
  const forMs = dice.between(leastMs, mostMs);
  const faults: Fault[] = shareNames.map((of) => ({ kind: 'share', of, factor: dice.roll() * 2 }));
  let atMs = dice.between(1_000, pauseMs);
  while (atMs < forMs) {
    faults.push({
      kind: 'accident',
      name: dice.pick(accidents),
      atMs,
      seed: dice.between(1, 1_000_000),
    });
    atMs += dice.between(1_000, pauseMs);
  }
  // In a patient one each sweep of billing would ask everything again: a hundred seconds a world.
  const hasText = tempo === 'brisk' && seed % 5 === 4;
  if (hasText) faults.push(...troublesOfText(dice, forMs));
  if (hasText ? textLosesCommits(seed) : losesCommits(seed)) {
    faults.push(...failOversOf(dice, forMs));
  }
  if (repeats(seed)) faults.push(...repeatsOf(dice, forMs));
  return {
    tempo,
    hasText,
    pollsMany: pollsMany(seed),
    speaksWire: speaksWire(seed),
    forMs,
    faults: inOrder(faults),
  };
}

export const inOrder = (faults: readonly Fault[]): readonly Fault[] =>
  faults.toSorted((one, other) => timeOf(one) - timeOf(other));

const timeOf = (fault: Fault): number => (fault.kind === 'accident' ? fault.atMs : 0);

/** Every seventh world, brief or not, unless text is in it. */
export const losesCommits = (seed: number): boolean => seed % 7 === 5;
/** Every third world with text: there are fewer of them. */
const textLosesCommits = (seed: number): boolean => seed % 3 === 1;

/** In every eleventh world, brief or not. */
export const pollsMany = (seed: number): boolean => seed % 11 === 8;

/** In two worlds of thirteen. */
const speaksWire = (seed: number): boolean => [4, 8].includes(seed % 13);

/** Rolled last, as the troubles of text. Each needs a while until its operator is done. */
export const failOversOf = (dice: Dice, forMs: number): Fault[] =>
  Array.from({ length: dice.between(1, 2) }, () => ({
    kind: 'accident',
    name: failOver,
    atMs: dice.between(2_000, forMs),
    seed: dice.between(1, 1_000_000),
  }));

/** Rolled last: a world without text has the plan that it had before there was any. */
const troublesOfText = (dice: Dice, forMs: number): Fault[] => [
  { kind: 'share', of: 'upstream', factor: dice.roll() * 2 },
  ...Array.from({ length: dice.between(1, 3) }, (): Fault => ({
    kind: 'accident',
    name: rolling,
    atMs: dice.between(1_000, forMs),
    seed: dice.between(1, 1_000_000),
  })),
];

/** In three worlds of twenty-three, brief or not: none of them is recorded from before, or has lost a protection. */
export const repeats = (seed: number): boolean => [5, 12, 18].includes(seed % 23);

/** Rolled after all others: what is between replicas sends again, and the database is silent now and then. */
export const repeatsOf = (dice: Dice, forMs: number): Fault[] => [
  { kind: 'share', of: 'repeats', factor: dice.roll() * 2 },
  ...Array.from({ length: dice.between(1, 3) }, (): Fault => ({
    kind: 'accident',
    name: silence,
    atMs: dice.between(1_000, forMs),
    seed: dice.between(1, 1_000_000),
  })),
];

/** In words. */
export const tellFault = (fault: Fault): string =>
  fault.kind === 'share'
    ? `${fault.of} ${fault.factor.toFixed(2)} times as bad as usual`
    : `after ${(fault.atMs / 1_000).toFixed(1)} s: ${fault.name}`;
