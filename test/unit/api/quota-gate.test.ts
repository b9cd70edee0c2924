import { describe, expect, it } from '@jest/globals';
import { createQuotaGate } from '../../../services/api/src/adapters/quota-gate.ts';

function aGate() {
  const state = { now: 0, available: 10, fails: false, questions: 0 };
  const waiting: (() => void)[] = [];
  const answerAll = async (): Promise<void> => {
    for (const answer of waiting.splice(0)) answer();
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  };
  const gate = createQuotaGate({
    availableOf: () => {
      state.questions += 1;
      return new Promise((resolve, reject) => {
        waiting.push(() => {
          if (state.fails) reject(new Error('away'));
          else resolve(state.available);
        });
      });
    },
    now: () => state.now,
  });
  return { state, gate, answerAll };
}

describe('what an account has available', () => {
  it('is asked once for all who want to know at the same time', async () => {
    const { gate, state, answerAll } = aGate();

    const answers = Promise.all([gate('acct_1'), gate('acct_1'), gate('acct_1')]);
    await answerAll();

    await expect(answers).resolves.toEqual([10, 10, 10]);
    expect(state.questions).toBe(1);
  });

  it('is asked for each account', async () => {
    const { gate, state, answerAll } = aGate();

    const answers = Promise.all([gate('acct_1'), gate('acct_2')]);
    await answerAll();

    await expect(answers).resolves.toEqual([10, 10]);
    expect(state.questions).toBe(2);
  });

  it('is known at once, without a question, while it is fresh', async () => {
    const { gate, state, answerAll } = aGate();
    const first = gate('acct_1');
    await answerAll();
    await first;
    state.now = 1_000;

    expect(gate('acct_1')).toBe(10);
    expect(state.questions).toBe(1);
  });

  it('is known at once when it is stale, and asked anew behind that, once', async () => {
    const { gate, state, answerAll } = aGate();
    const first = gate('acct_1');
    await answerAll();
    await first;
    state.now = 1_001;
    state.available = 0;

    expect([gate('acct_1'), gate('acct_1')]).toEqual([10, 10]);
    expect(state.questions).toBe(2);
    await answerAll();

    expect(gate('acct_1')).toBe(0);
  });

  it('is waited for when it is too old', async () => {
    const { gate, state, answerAll } = aGate();
    const first = gate('acct_1');
    await answerAll();
    await first;
    state.now = 5_001;
    state.available = 3;

    const answer = gate('acct_1');

    expect(answer).toBeInstanceOf(Promise);
    await answerAll();
    await expect(answer).resolves.toBe(3);
  });

  it('is what it was while the database is away, for five seconds; then that is a failure, and the next one asks again', async () => {
    const { gate, state, answerAll } = aGate();
    const first = gate('acct_1');
    await answerAll();
    await first;
    state.fails = true;
    state.now = 4_999;
    expect(gate('acct_1')).toBe(10);
    await answerAll();
    expect(gate('acct_1')).toBe(10);
    await answerAll();

    state.now = 5_001;
    const failed = Promise.resolve(gate('acct_1')).catch((error: unknown) => String(error));
    await answerAll();
    await expect(failed).resolves.toBe('Error: away');
    state.fails = false;
    const answer = gate('acct_1');
    await answerAll();

    await expect(answer).resolves.toBe(10);
  });

  it('counts as old as its question is, not as its answer', async () => {
    const { gate, state, answerAll } = aGate();
    const first = gate('acct_1');
    state.now = 4_000;
    await answerAll();
    await first;
    state.now = 5_001;

    expect(gate('acct_1')).toBeInstanceOf(Promise);
  });
});
