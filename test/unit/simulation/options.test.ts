import { describe, expect, it } from '@jest/globals';
import { readOptions } from '../../simulation/options.ts';

describe('npm run simulate', () => {
  it.each([
    [[], { kind: 'run', from: 1, seeds: 100, showsTrace: false }],
    [['--seeds', '20', '--from', '7'], { kind: 'run', from: 7, seeds: 20, showsTrace: false }],
    [['--seed', '7', '--trace'], { kind: 'run', from: 7, seeds: 1, showsTrace: true }],
    [['--help'], { kind: 'help' }],
  ])('reads %j', (args, expected) => {
    expect(readOptions(args)).toEqual(expected);
  });

  it.each([
    [['--seeds', 'many'], '--seeds must be a whole number from 1 on; got "many"'],
    [
      ['--seed', '1', '--seeds', '2'],
      '--seed is one world; it goes with neither --seeds nor --from',
    ],
  ])('refuses %j', (args, problem) => {
    expect(readOptions(args)).toEqual({ kind: 'wrong', problem });
  });
});
