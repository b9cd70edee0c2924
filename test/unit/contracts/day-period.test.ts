import { describe, expect, it } from '@jest/globals';
import { GatewayError } from '@gateway/domain';
import { readDayPeriod } from '@gateway/contracts';

const now = new Date('2026-03-05T23:59:59.999Z');

describe('the period of a usage report', () => {
  it.each<[object, string, string]>([
    [{}, '2026-02-04', '2026-03-05'],
    [{ from: '2026-03-01' }, '2026-03-01', '2026-03-05'],
    [{ to: '2026-01-31' }, '2026-01-02', '2026-01-31'],
    [{ from: '2024-02-29', to: '2024-02-29' }, '2024-02-29', '2024-02-29'],
    [{ from: '2026-01-01', to: '2026-04-02' }, '2026-01-01', '2026-04-02'],
  ])('is, for %j, from %s to %s', (query, from, to) => {
    expect(readDayPeriod(query, now)).toEqual({ from, to });
  });

  it.each<[string, object, string]>([
    ['longer than 92 days', { from: '2026-01-01', to: '2026-04-03' }, 'from'],
    ['that ends before it begins', { from: '2026-03-02', to: '2026-03-01' }, 'from'],
    ['from a day that does not exist', { from: '2026-02-29' }, 'from'],
    ['to a month that does not exist', { to: '2026-13-01' }, 'to'],
    ['to a day before any that a database knows', { to: '0000-01-05' }, 'to'],
    ['with a time', { from: '2026-03-01T00:00:00Z' }, 'from'],
    ['in other words', { to: 'yesterday' }, 'to'],
  ])('is refused %s', (_case, query, param) => {
    let thrown: unknown;
    try {
      readDayPeriod(query, now);
    } catch (error) {
      thrown = error;
    }

    expect(GatewayError.is(thrown) && [thrown.code, thrown.param]).toEqual([
      'invalid_parameter',
      param,
    ]);
  });
});
