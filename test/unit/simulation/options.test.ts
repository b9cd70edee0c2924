import { availableParallelism } from 'node:os';
import { describe, expect, it } from '@jest/globals';
import { readOptions } from '../../simulation/options.ts';

const workers = availableParallelism();
const quiet = { showsTrace: false, shrinks: false, isBrief: false };
const usual = { kind: 'run', from: 1, seeds: 100, workers, ...quiet };

describe('npm run simulate', () => {
  it.each([
    [[], usual],
    [['--seeds', '20', '--from', '7'], { ...usual, from: 7, seeds: 20 }],
    [['--workers', '3'], { ...usual, workers: 3 }],
    [['--seed', '7', '--trace'], { ...usual, from: 7, seeds: 1, workers: 1, showsTrace: true }],
    [['--seed', '7', '--shrink'], { ...usual, from: 7, seeds: 1, workers: 1, shrinks: true }],
    [['--seed', '7', '--brief'], { ...usual, from: 7, seeds: 1, workers: 1, isBrief: true }],
    [['--without', 'intent'], { ...usual, without: 'intent' }],
    [['--accept'], { kind: 'accept' }],
    [['--hashes'], { kind: 'hashes' }],
    [['--help'], { kind: 'help' }],
  ])('reads %j', (args, expected) => {
    expect(readOptions(args)).toEqual(expected);
  });

  it.each([
    [['--seeds', 'many'], '--seeds must be a whole number from 1 on; got "many"'],
    [
      ['--seed', '1', '--seeds', '2'],
      '--seed is one world; it goes with none of --seeds, --from and --workers',
    ],
    [['--shrink'], '--shrink needs the --seed of a world that fails'],
  ])('refuses %j', (args, problem) => {
    expect(readOptions(args)).toEqual({ kind: 'wrong', problem });
  });
});
