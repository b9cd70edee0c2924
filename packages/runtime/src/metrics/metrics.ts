import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { unexpectedExceptions } from '../faults/count.ts';
import { createHistogram, type Series, type SeriesHistogram } from './histogram.ts';

/** The release this process was built from: the version in the package.json of the whole suite. */
export const version = '0.1.0';

/** A registry whose metrics all name the service, and the process where several make up a replica. */
export function createRegistry(service: string, process?: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service, ...(process !== undefined && { process }) });
  return registry;
}

/** One registry a process, with Node's own measures in it. */
export function createMetrics(service: string, process?: string): Registry {
  const registry = createRegistry(service, process);
  collectDefaultMetrics({ register: registry });
  unexpectedExceptions(registry);
  new Gauge({
    name: 'gateway_build_info',
    help: 'The release that is running; always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);
  return registry;
}

/** Seconds, as the OpenTelemetry HTTP conventions suggest. */
const httpBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Those of the conventions; any other a client may think of is `_OTHER`. */
const methods: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'QUERY',
]);

/**
 * Measures one request in seconds. `route` is a pattern of ours, never a path that a client made
 * up.
 */
export type HttpDuration = (
  request: { readonly method: string | undefined; readonly route: string; readonly status: number },
  seconds: number,
) => void;

const known = new WeakMap<Registry, HttpDuration>();

/** The same measure for every caller of one registry. */
export function httpDuration(registry: Registry): HttpDuration {
  const found = known.get(registry);
  if (found !== undefined) return found;
  const histogram = createHistogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the request to the end of the response.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: httpBuckets,
    registers: [registry],
  });
  const measure = httpMeasure(histogram);
  known.set(registry, measure);
  return measure;
}

function httpMeasure(
  histogram: SeriesHistogram<'http_request_method' | 'http_route' | 'http_response_status_code'>,
): HttpDuration {
  const resolved = new Map<string, Series>();
  return ({ method = '', route, status }, seconds) => {
    const name = methods.has(method) ? method : '_OTHER';
    const key = `${name} ${status} ${route}`;
    let series = resolved.get(key);
    if (series === undefined) {
      resolved.set(
        key,
        (series = histogram.series({
          http_request_method: name,
          http_route: route,
          http_response_status_code: status,
        })),
      );
    }
    series.observe(seconds);
  };
}

export { Counter, Gauge, Histogram, type Registry };
