import { Counter, type Registry } from 'prom-client';

/** Whose code threw: that of one request, of one job, or of neither. */
export type FaultPlace = 'request' | 'job' | 'background';

/** Of this process, like the measures of Node: whoever catches an exception need not know a registry. */
const counted: Record<FaultPlace, number> = { request: 0, job: 0, background: 0 };

/** Counts one exception that nobody expected. */
export function countUnexpected(where: FaultPlace): void {
  counted[where] += 1;
}

/** Shows what `countUnexpected` has counted, at each scrape. */
export function unexpectedExceptions(registry: Registry): void {
  const counter = new Counter({
    name: 'gateway_unexpected_exceptions_total',
    help: 'Exceptions that nobody expected: each ended one request or job, or the process in order.',
    labelNames: ['where'],
    registers: [registry],
    collect() {
      counter.reset();
      for (const [where, count] of Object.entries(counted)) counter.inc({ where }, count);
    },
  });
}
