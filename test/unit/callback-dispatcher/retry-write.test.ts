import { describe, expect, it } from '@jest/globals';
import { retryWrite } from '../../../services/callback-dispatcher/src/adapters/retry-write.ts';

function failing(times: number) {
  const inputs: string[] = [];
  const failures: unknown[] = [];
  const write = retryWrite(
    (input: string) => {
      inputs.push(input);
      return inputs.length <= times
        ? Promise.reject(new Error(`failure ${inputs.length}`))
        : Promise.resolve('written');
    },
    { afterMs: [1, 1, 1], onFailure: (error) => failures.push(error) },
  );
  return { write, inputs, failures };
}

describe('a write that must not be lost', () => {
  it('is repeated with the same input until it succeeds, and each failure is told', async () => {
    const { write, inputs, failures } = failing(2);

    await expect(write('a')).resolves.toBe('written');

    expect(inputs).toEqual(['a', 'a', 'a']);
    expect(failures).toHaveLength(2);
  });

  it('throws the last failure when every try failed', async () => {
    const { write, inputs } = failing(9);

    await expect(write('a')).rejects.toThrow('failure 4');
    expect(inputs).toHaveLength(4);
  });
});
