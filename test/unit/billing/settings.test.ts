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
      LOG_LEVEL: 'info',
      LOG_FORMAT: 'json',
      QUEUE_PREFIX: 'gateway',
      DATABASE_POOL_SIZE: 10,
      ORPHAN_GRACE_SECONDS: 60,
      USAGE_LEASE_SECONDS: 30,
      SWEEP_MS: 5_000,
      VERIFY_MS: 60_000,
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
