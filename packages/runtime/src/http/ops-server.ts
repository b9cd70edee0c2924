import { performance } from 'node:perf_hooks';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import type { Registry } from '../metrics/metrics.ts';
import type { Health, Readiness } from './health.ts';
import { dependencyGauges } from './health-metrics.ts';
import { json, opsPort, type OpsPortOptions, type Reply } from './ops-port.ts';
import { share } from './share.ts';

export interface OpsServerOptions extends Omit<OpsPortOptions, 'routes'> {
  readonly metrics: Registry;
  /** What /readyz shows beside its checks; it makes no difference to readiness. */
  readonly notes?: () => Readonly<Record<string, unknown>>;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
  /** How long one text of the metrics serves whoever asks. */
  readonly metricsFreshMs?: number | undefined;
}

export interface OpsServer {
  /** Where it listens, once started. */
  url(): string;
  /**
   * Puts the parts of a service between those of the operations port: it listens before the first
   * of them starts and until the last one has stopped, and the service is ready only in between.
   */
  around(parts: readonly Part[]): Part[];
}

/**
 * A scrape costs some 4 ms of the thread that serves customers: however many ask for it, no more
 * than a fiftieth of its time goes there.
 */
const usualMetricsFreshMs = 200;
/** `/livez`, `/readyz` and `/metrics` on a port that only operators reach. */
export function opsServer({
  settings,
  health,
  metrics,
  log,
  notes = () => ({}),
  now = () => performance.now(),
  metricsFreshMs = usualMetricsFreshMs,
}: OpsServerOptions): OpsServer {
  const note = noteChanges(log);
  const check = share(
    async () => {
      const readiness = await health.check();
      note(readiness);
      return readiness;
    },
    { freshMs: 0, now },
  );
  dependencyGauges({ check, stalled: health.stalled }, metrics);
  const text = share(() => metrics.metrics(), { freshMs: metricsFreshMs, now });
  const port = opsPort({
    settings,
    health,
    log,
    routes: {
      '/livez': () => Promise.resolve(liveness(health)),
      '/readyz': async () => readiness(await check(), notes()),
      '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await text() }),
    },
  });
  health.enter('starting');
  return {
    url: port.url,
    around: (parts) => [port, ...parts, readyPart(health)],
  };
}

/** The last part to start and the first to stop. */
const readyPart = (health: Health): Part => ({
  name: 'readiness',
  start() {
    health.enter('running');
    return Promise.resolve();
  },
  stop() {
    health.enter('draining');
    return Promise.resolve();
  },
});

function liveness(health: Health): Reply {
  const reason = health.stalled();
  return reason === undefined
    ? json(200, { status: 'ok' })
    : json(503, { status: 'stalled', reason });
}

function readiness(
  { ready, degraded, checks }: Readiness,
  notes: Readonly<Record<string, unknown>>,
): Reply {
  const status = degraded === true ? 'degraded' : 'ok';
  return json(ready ? 200 : 503, { status: ready ? status : 'unavailable', checks, ...notes });
}

/** Logs why a dependency is unavailable, once each time it changes: /readyz gives only the code. */
function noteChanges(log: Log): (readiness: Readiness) => void {
  const latest = new Map<string, string>();
  return ({ checks, reasons }) => {
    for (const [dependency, code] of Object.entries(checks)) {
      const before = latest.get(dependency) ?? 'ok';
      latest.set(dependency, code);
      if (code === before || dependency === 'service') continue;
      if (code === 'ok') log.info('dependency available again', { dependency });
      else {
        const reason = reasons[dependency];
        log.warn('dependency unavailable', { dependency, code, reason });
      }
    }
  };
}
