import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../../services/billing/src/config.ts';

const required = {
  DATABASE_URL: 'postgres://localhost/gateway',
  REDIS_URL: 'redis://localhost',
  SERVICE_TOKEN: 'sixteen-or-longer',
};

describe('the settings of billing', () => {
  it('need where the stores are and who may ask; the rest has values that work', () => {
    expect(readSettings(required)).toEqual({
      ...required,
      HOST: '0.0.0.0',
      PORT: 3001,
      OPS_PORT: 3011,
      EXCEPTIONS_BEFORE_RESTART: 10,
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      QUEUE_PREFIX: 'gateway',
      DATABASE_POOL_SIZE: 10,
      DATABASE_SILENCE_MS: 9_000,
      REDIS_SILENCE_MS: 8_000,
      DATABASE_LOCK_MS: 2_500,
      WAITING_PER_ACCOUNT: 2_000,
      WAITING_IN_ALL: 20_000,
      WAITING_MS: 10_000,
      ORPHAN_GRACE_SECONDS: 60,
      USAGE_LEASE_SECONDS: 30,
      SWEEP_MS: 5_000,
      VERIFY_MS: 60_000,
      VERIFY_STATEMENT_MS: 5_000,
      DATA_SWEEP_MS: 600_000,
      CLOCK_MAX_OFFSET_MS: 2_000,
      WATCHDOG_STALLED_MS: 120_000,
    });
  });

  it('name everything that is missing at once', () => {
    expect(() => readSettings({})).toThrow(
      /DATABASE_URL is required[^]*REDIS_URL is required[^]*SERVICE_TOKEN is required/,
    );
  });

  it.each([
    ['PORT', 'eighty'],
    ['PORT', '70000'],
    ['LOG_LEVEL', 'verbose'],
    ['DATABASE_POOL_SIZE', '0'],
    ['ORPHAN_GRACE_SECONDS', '4'],
    ['USAGE_LEASE_SECONDS', '14'],
    ['USAGE_LEASE_SECONDS', '61'],
    ['SWEEP_MS', '5'],
    ['VERIFY_MS', '1.5'],
  ])('refuse %s=%s by name', (name, value) => {
    expect(() => readSettings({ ...required, [name]: value })).toThrow(name);
  });

  it('refuse a service token that can be guessed, without showing it', () => {
    expect(() => readSettings({ ...required, SERVICE_TOKEN: 'hunter2' })).toThrow(
      /^(?!.*hunter2)[^]*SERVICE_TOKEN/,
    );
  });
});
