import { describe, expect, it } from '@jest/globals';
import { Counter, createMetrics, mergeMetrics, mergeReadiness } from '@gateway/runtime';

describe('the metrics of several processes', () => {
  it('are one text, in which each family stands once and a label tells the processes apart', async () => {
    const texts = await Promise.all(
      ['1', '2'].map(async (process) => {
        const metrics = createMetrics('api', process);
        new Counter({ name: 'made_total', help: 'Made.', registers: [metrics] }).inc(3);
        return metrics.metrics();
      }),
    );

    const lines = mergeMetrics(texts).split('\n');

    const made = lines.indexOf('# HELP made_total Made.');
    expect(lines.slice(made, made + 5)).toEqual([
      '# HELP made_total Made.',
      '# TYPE made_total counter',
      'made_total{service="api",process="1"} 3',
      'made_total{service="api",process="2"} 3',
      '',
    ]);
    const heads = lines.filter((line) => line.startsWith('# TYPE'));
    expect(new Set(heads).size).toBe(heads.length);
    expect(lines.filter((line) => line.startsWith('process_cpu_seconds_total'))).toHaveLength(2);
  });
});

describe('the readiness of several processes', () => {
  const ok = { status: 'ok', checks: { database: 'ok', clock: 'ok' } };

  it.each([
    ['all are ready', [ok, ok], 'ok', { database: 'ok', clock: 'ok' }, { 1: 'ok', 2: 'ok' }],
    [
      'one lacks what not every request needs',
      [ok, { status: 'degraded', checks: { database: 'ok', clock: 'late' } }],
      'degraded',
      { database: 'ok', clock: 'late' },
      { 1: 'ok', 2: 'degraded' },
    ],
    [
      'one is gone, and no connection reaches it',
      [ok, 'absent' as const],
      'degraded',
      { database: 'ok', clock: 'ok' },
      { 1: 'ok', 2: 'absent' },
    ],
    ['all are gone', ['absent' as const], 'unavailable', {}, { 1: 'absent' }],
    [
      'one is there and says nothing',
      [ok, undefined],
      'unavailable',
      { database: 'ok', clock: 'ok' },
      { 1: 'ok', 2: 'silent' },
    ],
    [
      'one has lost its database',
      [{ status: 'unavailable', checks: { database: 'ECONNREFUSED' } }, ok],
      'unavailable',
      { database: 'ECONNREFUSED', clock: 'ok' },
      { 1: 'unavailable', 2: 'ok' },
    ],
  ])('when %s', (_when, answers, status, checks, processes) => {
    expect(mergeReadiness(answers)).toEqual({ status, checks, processes });
  });
});
