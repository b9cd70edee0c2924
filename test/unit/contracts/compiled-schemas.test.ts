import { describe, expect, it } from '@jest/globals';
import { compileAll } from '../../../packages/contracts/src/compiled-schemas.ts';

const [a, b] = [{ type: 'string' }, { type: 'number' }] as const;

describe('the validators of a configuration', () => {
  it('are those of the one before, as far as their schemas are the same', () => {
    const [first] = compileAll([a]);

    const [again, other] = compileAll([{ ...a }, b]);

    expect(again).toBe(first);
    expect([again('x'), other!('x')]).toEqual([true, false]);
  });

  it('are forgotten with the configuration that had them', () => {
    const [first] = compileAll([a]);
    compileAll([b]);

    const [anew] = compileAll([a]);

    expect(anew).not.toBe(first);
  });
});
