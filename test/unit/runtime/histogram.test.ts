import { describe, expect, it } from '@jest/globals';
import { createHistogram, createMetrics, httpDuration } from '@gateway/runtime';
import { Histogram, Registry } from 'prom-client';

const values = [0, 0.1, 0.5, 0.500_001, 1, 7, 100];
const options = {
  name: 'a_duration_seconds',
  help: 'What it measures.',
  labelNames: ['kind', 'status'] as const,
  buckets: [0.1, 0.5, 1, 10],
};

describe('a histogram for hot paths', () => {
  it('writes what prom-client writes', async () => {
    const [ours, theirs] = [new Registry(), new Registry()];
    for (const registry of [ours, theirs]) registry.setDefaultLabels({ service: 'test' });
    const series = createHistogram({ ...options, registers: [ours] });
    const known = new Histogram({
      ...options,
      labelNames: [...options.labelNames],
      buckets: [...options.buckets],
      registers: [theirs],
    });
    for (const value of values) {
      series.series({ kind: 'a', status: 200 }).observe(value);
      known.observe({ kind: 'a', status: 200 }, value);
    }
    series.series({ kind: 'b', status: 500 }).observe(3);
    known.observe({ kind: 'b', status: 500 }, 3);

    expect(linesOf(await ours.metrics())).toEqual(linesOf(await theirs.metrics()));
  });

  it('returns the same series for the same labels', () => {
    const { series } = createHistogram({ ...options, registers: [new Registry()] });

    expect(series({ kind: 'a', status: 1 })).toBe(series({ kind: 'a', status: 1 }));
    expect(series({ kind: 'a', status: 1 })).not.toBe(series({ kind: 'a', status: 2 }));
  });
});

describe('the duration of requests', () => {
  it('is one measure for all callers of a registry, and knows no method that a client made up', async () => {
    const metrics = createMetrics('test');
    httpDuration(metrics)({ method: 'GET', route: '/v1/videos', status: 200 }, 0.2);
    for (const method of ['PURGE', 'MKCOL', undefined]) {
      httpDuration(metrics)({ method, route: 'unmatched', status: 404 }, 0.2);
    }
    const counts = (await metrics.metrics())
      .split('\n')
      .filter((line) => line.startsWith('http_server_request_duration_seconds_count'));

    expect(counts).toEqual([
      'http_server_request_duration_seconds_count{http_request_method="GET",http_route="/v1/videos",http_response_status_code="200",service="test"} 1',
      'http_server_request_duration_seconds_count{http_request_method="_OTHER",http_route="unmatched",http_response_status_code="404",service="test"} 3',
    ]);
  });
});

/** Lines in no order, labels in the order of their names. */
const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) =>
      line.replace(
        /\{(.*)\}/,
        (_whole, labels: string) => `{${labels.split(',').sort().join(',')}}`,
      ),
    )
    .sort();
