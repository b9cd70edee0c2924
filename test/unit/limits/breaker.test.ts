import { describe, expect, it } from '@jest/globals';
import {
  coolDownAfter,
  createBreaker,
  judgeCall,
  noteFailure,
  noteSuccess,
  openFor,
  stateOf,
  type Breaker,
  type BreakerRules,
} from '../../../packages/limits/src/breaker.ts';

const rules: BreakerRules = {
  failuresToOpen: 5,
  coolDownMs: 10_000,
  longestCoolDownMs: 60_000,
  probeMs: 30_000,
};

/**
 * One step of a story: `.` a success, `x` a failure, `?` a call that asks, a number of milliseconds
 * that pass, `leave` to probe.
 */
type Step = '.' | 'x' | '?' | 'leave' | number;

/** Plays a story; returns what each `?` was told, and how it ended. */
function play(
  steps: readonly Step[],
  breaker: Breaker = createBreaker(),
): { readonly told: string[]; readonly state: string; readonly breaker: Breaker } {
  let now = 1_000_000;
  const told: string[] = [];
  const act: Record<Exclude<Step, number>, () => void> = {
    '.': () => {
      noteSuccess(breaker, now);
    },
    x: () => {
      noteFailure(breaker, now, rules);
    },
    '?': () => {
      told.push(judgeCall(breaker, now, rules));
    },
    leave: () => {
      breaker.mayProbeUntil = now + 10_000;
    },
  };
  for (const step of steps) {
    if (typeof step === 'number') now += step;
    else act[step]();
  }
  return { told, state: stateOf(breaker, now), breaker };
}

const times = (count: number, ...steps: Step[]): Step[] =>
  Array.from({ length: count }, () => steps).flat();
const opened = times(5, 'x');

describe('a breaker', () => {
  it.each<[string, Step[], string, string[]]>([
    ['passes calls at first', ['?'], 'closed', ['pass']],
    [
      'stays closed below the failures in a row that open it',
      [...times(4, 'x'), '?'],
      'closed',
      ['pass'],
    ],
    ['opens at the failures in a row that open it', [...opened, '?'], 'open', ['refuse']],
    [
      'counts failures in a row anew after a success',
      [...times(4, 'x'), '.', ...times(4, 'x'), '?'],
      'closed',
      ['pass'],
    ],
    [
      'stays closed when half fail of too few calls',
      [...times(9, 'x', '.'), '?'],
      'closed',
      ['pass'],
    ],
    ['opens when half of twenty calls fail', [...times(10, '.', 'x'), '?'], 'open', ['refuse']],
    [
      'stays closed when less than half fail',
      [...times(20, 'x', '.', '.'), '?'],
      'closed',
      ['pass'],
    ],
    [
      'opens when half of the latest calls fail, whatever came before',
      [...times(100, '.'), 35_000, ...times(10, '.', 'x'), '?'],
      'open',
      ['refuse'],
    ],
    [
      'forgets failures of more than half a minute ago',
      [...times(9, '.', 'x'), 35_000, ...times(2, '.', 'x'), '?'],
      'closed',
      ['pass'],
    ],
    [
      'forgets failures also while it is called all along',
      [...times(9, '.', 'x'), ...times(40, 1_000, '.'), 'x', '?'],
      'closed',
      ['pass'],
    ],
    ['refuses until the cool-down ends', [...opened, 9_999, '?'], 'open', ['refuse']],
    [
      'asks for leave to probe when the cool-down has ended',
      [...opened, 10_000, '?'],
      'half_open',
      ['ask'],
    ],
    [
      'sends one probe with leave',
      [...opened, 10_000, 'leave', '?', '?'],
      'half_open',
      ['probe', 'refuse'],
    ],
    [
      'does not use leave that has run out',
      [...opened, 10_000, 'leave', 10_000, '?'],
      'half_open',
      ['ask'],
    ],
    [
      'closes when the probe succeeds',
      [...opened, 10_000, 'leave', '?', '.', '?'],
      'closed',
      ['probe', 'pass'],
    ],
    [
      'opens again when the probe fails',
      [...opened, 10_000, 'leave', '?', 'x', '?'],
      'open',
      ['probe', 'refuse'],
    ],
    [
      'cools down twice as long after a failed probe',
      [...opened, 10_000, 'leave', '?', 'x', 19_999, '?', 1, '?'],
      'half_open',
      ['probe', 'refuse', 'ask'],
    ],
    [
      'gives a probe up that nobody says the end of',
      [...opened, 10_000, 'leave', '?', 30_000, '?', 'leave', '?'],
      'half_open',
      ['probe', 'ask', 'probe'],
    ],
    [
      'is not closed by a late success from before',
      [...opened, 10_000, '.', '?'],
      'half_open',
      ['ask'],
    ],
    [
      'is not kept open by late failures from before',
      [...opened, 9_000, 'x', 1_000, '?'],
      'half_open',
      ['ask'],
    ],
    [
      'counts failures anew after it has closed',
      [...opened, 10_000, 'leave', '?', '.', ...times(4, 'x'), '?'],
      'closed',
      ['probe', 'pass'],
    ],
    [
      'cools down twice as long when it opens soon after it has closed',
      [...opened, 10_000, 'leave', '?', '.', ...opened, 19_999, '?'],
      'open',
      ['probe', 'refuse'],
    ],
    [
      'begins with a short cool-down again after a minute of rest',
      [...opened, 10_000, 'leave', '?', '.', 60_000, ...opened, 10_000, '?'],
      'half_open',
      ['probe', 'ask'],
    ],
  ])('%s', (_what, steps, state, told) => {
    const ended = play(steps);

    expect({ state: ended.state, told: ended.told }).toEqual({ state, told });
  });

  it('stays open for the longest that it is told', () => {
    const { breaker } = play(opened);

    openFor(breaker, 1_000_000, { coolDownMs: 20_000, openings: 2 });
    openFor(breaker, 1_000_000, { coolDownMs: 5_000, openings: 1 });

    expect(breaker).toMatchObject({ until: 1_020_000, openings: 2 });
  });
});

describe('the cool-down', () => {
  it('doubles with each opening, up to the longest', () => {
    expect([1, 2, 3, 4, 5, 1_000].map((openings) => coolDownAfter(openings, rules))).toEqual([
      10_000, 20_000, 40_000, 60_000, 60_000, 60_000,
    ]);
  });
});
