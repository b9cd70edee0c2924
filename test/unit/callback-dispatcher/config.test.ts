import { describe, expect, it } from '@jest/globals';
import { defaultCallbackRetryDelaysMs } from '@gateway/domain';
import { readSettings, retryDelaysOf } from '../../../services/callback-dispatcher/src/config.ts';

const required = {
  DATABASE_URL: 'postgres://h/d',
  REDIS_URL: 'redis://h',
  PUBLIC_BASE_URL: 'https://gateway.example',
  MEDIA_TOKEN_KEYS: 'k1:x',
};
const delaysFor = (list: string) =>
  retryDelaysOf(readSettings({ ...required, CALLBACK_RETRY_DELAYS_MS: list }));

describe('the settings of the callback-dispatcher', () => {
  it('have the documented defaults', () => {
    const settings = readSettings(required);

    expect(settings).toMatchObject({
      QUEUE_PREFIX: 'gateway',
      CALLBACK_TIMEOUT_MS: 15_000,
      CALLBACK_SWEEP_MS: 5_000,
      CALLBACK_ALLOW_HTTP: false,
      CALLBACK_ALLOW_CIDRS: '',
    });
    expect(retryDelaysOf(settings)).toEqual(defaultCallbackRetryDelaysMs);
  });

  it.each([
    ['10', [10]],
    ['10,20,30,40,50', [10, 20, 30, 40, 50]],
    ['10, 20', [10, 20]],
  ])('take the waits %p', (list, expected) => {
    expect(delaysFor(list)).toEqual(expected);
  });

  it.each([['10,20,30,40,50,60'], ['10,,20'], ['1.5'], ['-5'], ['5s'], [',']])(
    'refuse the waits %p: one to five whole numbers',
    (list) => {
      expect(() => delaysFor(list)).toThrow('CALLBACK_RETRY_DELAYS_MS');
    },
  );

  it('name everything that is missing at once', () => {
    expect(() => readSettings({})).toThrow(
      /DATABASE_URL is required[\s\S]*REDIS_URL is required[\s\S]*PUBLIC_BASE_URL is required[\s\S]*MEDIA_TOKEN_KEYS is required/,
    );
  });
});
