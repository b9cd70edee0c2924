import { describe, expect, it } from '@jest/globals';
import { readOptions } from '../../chaos/options.ts';
import { planChaos, poorCustomer, processNames } from '../../chaos/plan.ts';
import { taskKinds } from '../../chaos/task-kinds.ts';
import { peers } from '../../chaos/wires.ts';

const options = {
  seed: 7,
  tasks: 200,
  texts: 20,
  forMs: 60_000,
  rounds: 2,
  workerPauseMs: 18_000,
  silencesMs: [5_000, 20_000],
};
const plan = planChaos(options);

describe('the plan of a chaos run', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(planChaos(options)).toEqual(plan);
    expect(planChaos({ ...options, seed: 8 })).not.toEqual(plan);
  });

  it('asks for every kind of task, also from a customer who cannot pay, and spreads what is asked over the time', () => {
    expect(new Set(plan.videos.map(({ kind }) => kind))).toEqual(new Set(taskKinds));
    expect(plan.videos.some(({ customer }) => customer === poorCustomer)).toBe(true);
    expect(plan.videos.at(-1)?.atMs).toBeGreaterThan(59_000);
    expect(plan.videos.every(({ atMs }) => atMs < 60_000)).toBe(true);
    expect(
      plan.videos.every(({ hasKey, repeatAfterMs }) => hasKey || repeatAfterMs === undefined),
    ).toBe(true);
  });

  it('kills every process in each round, and does everything else too', () => {
    const kills = plan.disturbances
      .filter(({ kind }) => kind === 'kill')
      .map((one) => ('process' in one ? one.process : undefined));
    expect(kills.sort()).toEqual([...processNames, ...processNames].sort());
    expect(new Set(plan.disturbances.map(({ kind }) => kind))).toEqual(
      new Set([
        'kill',
        'pause',
        'roll',
        'flush',
        'kill redis',
        'terminate backends',
        'stop postgres',
        'vendor fault',
        'receiver outage',
        'silence',
        'wrong clock',
      ]),
    );
    expect(plan.disturbances.every(({ atMs }) => atMs >= 0 && atMs < 60_000)).toBe(true);
  });

  it('silences every peer in each round', () => {
    const silences = plan.disturbances.filter((one) => one.kind === 'silence');
    expect(silences.map(({ peer }) => peer).sort()).toEqual([...peers, ...peers].sort());
    expect(silences.every(({ forMs }) => options.silencesMs.includes(forMs))).toBe(true);
  });

  it('pauses a worker for longer than the lock of its job', () => {
    const pauses = plan.disturbances.filter(
      (one) => one.kind === 'pause' && one.process.startsWith('video-worker'),
    );
    expect(pauses).toHaveLength(2);
    expect(pauses.every((one) => 'forMs' in one && one.forMs > 15_000)).toBe(true);
  });
});

describe('npm run chaos', () => {
  it('asks for 1,150 videos over nine minutes when nothing else is said', () => {
    expect(readOptions([], 3)).toMatchObject({
      kind: 'run',
      options: { tasks: 1_150, forMs: 552_000, seed: 3, rounds: 6 },
    });
  });

  it('takes tasks, minutes, rounds and a seed', () => {
    expect(
      readOptions(['--tasks', '50', '--minutes', '0.5', '--rounds', '3', '--seed', '9'], 3),
    ).toMatchObject({ kind: 'run', options: { tasks: 50, forMs: 30_000, seed: 9, rounds: 3 } });
  });

  it.each([[['--tasks', 'many']], [['--minutes', '0']], [['--tasks', '']], [['--speed', '3']]])(
    'refuses %j and says why',
    (args) => {
      expect(readOptions(args, 3)).toEqual({
        kind: 'wrong',
        problem: expect.stringContaining(args[0]!.slice(2)),
      });
    },
  );
});
