import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { createTicker } from '../../../services/console/src/parts/ticker.ts';

beforeEach(() => {
  jest.useFakeTimers({ now: 0 });
});
afterEach(() => {
  jest.useRealTimers();
});

it('tells all who follow by one timer, which ends with the last of them', () => {
  const ticker = createTicker(1_000);
  const told: string[] = [];
  const leave = ['a', 'b', 'c'].map((name) =>
    ticker.follow(() => told.push(`${name} ${ticker.now()}`)),
  );

  expect(jest.getTimerCount()).toBe(1);
  jest.advanceTimersByTime(1_000);
  leave[0]?.();
  jest.advanceTimersByTime(1_500);
  expect(ticker.now()).toBe(2_000);
  leave[1]?.();
  leave[2]?.();

  expect(told).toEqual(['a 1000', 'b 1000', 'c 1000', 'b 2000', 'c 2000']);
  expect(jest.getTimerCount()).toBe(0);
  expect(ticker.now()).toBe(2_500);
});
