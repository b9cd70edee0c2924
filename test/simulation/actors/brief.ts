import { createDice, type Dice } from '../../chaos/random.ts';
import {
  accidentNames,
  failOversOf,
  inOrder,
  losesCommits,
  planOf,
  pollsMany,
  repeats,
  repeatsOf,
  shareNames,
  type AccidentName,
  type Plan,
  type ShareName,
} from './plan.ts';
import type { Promised } from './settings.ts';

/** What most of a brief world is about: few things happen in it, so these happen together. */
interface Theme {
  readonly accidents: readonly AccidentName[];
  /** Where something goes wrong more often than elsewhere. */
  readonly factors?: Partial<Record<ShareName, number>>;
  readonly promised?: Partial<Promised>;
  /** When the first accident happens, where that is not at once. */
  readonly fromMs?: number;
  /** How long the storm lasts, where that is not half a minute. */
  readonly forMs?: readonly [least: number, most: number];
}

/** Renders end around the deadline. */
const late: Partial<Promised> = { renderMs: [40_000, 90_000], lateRenderMs: [60_000, 150_000] };

/** None that outlasts the storm. */
const shortAccidents: readonly AccidentName[] = accidentNames.filter((name) => name !== 'freeze');

const themes: readonly Theme[] = [
  { accidents: shortAccidents },
  { accidents: ['kill', 'kill soon after', 'flush', 'kill soon after'] },
  // Copies, polls and settlements meet themselves.
  { accidents: ['stall', 'stall all', 'stall all'], promised: { renderMs: [1_000, 15_000] } },
  // What is asked of a vendor at the deadline is lost, and so are files.
  { accidents: shortAccidents, factors: { lister: 6, mute: 6, storage: 5 }, promised: late },
  // Slots are kept by what is late, and the rest waits in the queue.
  {
    accidents: ['vendors away', 'vendor away', 'kill', 'flush'],
    factors: { lister: 4, mute: 4 },
    promised: { ...late, orders: [8, 10], lateWatchMs: 240_000 },
  },
  // Receivers that fail, and replicas that go by another time.
  {
    accidents: ['wrong clock', 'kill', 'stall all', 'postgres away'],
    factors: { receivers: 4, weather: 4 },
  },
];

/** Whose storm is still there when the deadlines pass, or that take long: they cost the most. */
const longThemes: readonly Theme[] = [
  // A claim is lost while its owner stands still.
  {
    accidents: ['freeze', 'freeze', 'stall all'],
    factors: { receivers: 4 },
    promised: { renderMs: [1_000, 15_000] },
    forMs: [40_000, 60_000],
  },
  {
    accidents: ['kill', 'vendor away', 'flush'],
    factors: { lister: 4, mute: 4, storage: 5 },
    // Some pushes still wait when their task is over.
    promised: { ...late, callbackRetryMs: [2_000, 10_000, 30_000, 60_000, 90_000] },
    forMs: [100_000, 130_000],
  },
  // Every slot is kept by a render that no vendor hears to be cancelled, and the rest waits.
  {
    accidents: ['vendors away', 'vendors away', 'kill', 'flush'],
    fromMs: 30_000,
    promised: {
      renderMs: [280_000, 320_000],
      lateRenderMs: [280_000, 320_000],
      orders: [8, 10],
      awayMs: 70_000,
      lateWatchMs: 240_000,
    },
    forMs: [97_000, 110_000],
  },
  // Most is deleted, and stays there while its vendor is watched, with pushes that are due.
  {
    accidents: ['vendors away', 'kill soon after'],
    factors: { receivers: 8, weather: 2, lister: 6, mute: 6 },
    promised: {
      ...late,
      orders: [6, 8],
      deletedShare: 0.9,
      callbackRetryMs: [2_000, 10_000, 30_000, 60_000, 90_000],
    },
    forMs: [85_000, 100_000],
  },
];

/** One world: its seed, and which of its two kinds. */
export interface Which {
  readonly seed: number;
  /** A storm of half a minute over a few tasks. */
  readonly isBrief?: boolean;
}

export const planFor = ({ seed, isBrief = false }: Which): Plan =>
  isBrief ? briefPlanOf(seed) : planOf(seed);

function briefPlanOf(seed: number): Plan {
  const dice = createDice(seed ^ 0xb_41ef);
  const theme = dice.pick(seed % 7 === 0 ? longThemes : themes);
  const { accidents, factors = {}, promised, fromMs = 0 } = theme;
  const forMs = dice.between(...(theme.forMs ?? [20_000, 40_000]));
  const faults: Plan['faults'] = [
    ...shareNames.map((of) => ({
      kind: 'share' as const,
      of,
      factor: dice.roll() * 2 * (factors[of] ?? 1),
    })),
    ...accidentsOf(dice, accidents, [fromMs, forMs]),
  ];
  return {
    tempo: 'brief',
    hasText: false,
    pollsMany: pollsMany(seed),
    speaksWire: false,
    forMs,
    ...(promised !== undefined && { promised }),
    faults: inOrder([
      ...faults,
      ...(losesCommits(seed) ? failOversOf(dice, forMs) : []),
      ...(repeats(seed) ? repeatsOf(dice, forMs) : []),
    ]),
  };
}

function accidentsOf(
  dice: Dice,
  names: readonly AccidentName[],
  [fromMs, forMs]: readonly [fromMs: number, forMs: number],
): Plan['faults'][number][] {
  const found: Plan['faults'][number][] = [];
  let atMs = fromMs + dice.between(500, 5_000);
  while (atMs < forMs) {
    found.push({
      kind: 'accident',
      name: dice.pick(names),
      atMs,
      seed: dice.between(1, 1_000_000),
    });
    atMs += dice.between(500, 6_000);
  }
  return found;
}
