import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** One registry a process, with Node's own measures in it. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Seconds, as the OpenTelemetry HTTP conventions suggest. */
const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** The same measure for every caller of one registry. */
export function httpDuration(registry: Registry): Histogram {
  const name = 'http_server_request_duration_seconds';
  const known = registry.getSingleMetric(name);
  if (known instanceof Histogram) return known;
  return new Histogram({
    name,
    help: 'Time from the request to the end of its answer.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: httpBuckets,
    registers: [registry],
  });
}

export { Counter, Gauge, Histogram, type Registry };
