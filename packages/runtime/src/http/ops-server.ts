import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { describeError } from '@gateway/domain';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import type { Registry } from '../metrics/metrics.ts';
import type { Health, Readiness } from './health.ts';
import { dependencyGauges } from './health-metrics.ts';
import { httpServerPart } from './http-server.ts';
import { share } from './share.ts';

export interface OpsServerOptions {
  readonly settings: {
    readonly HOST: string;
    readonly OPS_HOST?: string;
    readonly OPS_PORT: number;
  };
  readonly health: Health;
  readonly metrics: Registry;
  readonly log: Log;
  /** What /readyz shows beside its checks; it makes no difference to readiness. */
  readonly notes?: () => Readonly<Record<string, unknown>>;
  /** Milliseconds of a clock that only goes forward. */
  readonly now?: () => number;
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
const metricsFreshMs = 200;
/** Whoever holds connections open must not keep the probes out for long. */
const bounds = {
  maxConnections: 64,
  drainMs: 1_000,
  timeouts: { headersMs: 5_000, requestMs: 5_000, idleMs: 5_000, checkEveryMs: 1_000 },
};

/** `/livez`, `/readyz` and `/metrics` on a port that only operators reach. */
export function opsServer({
  settings: { HOST, OPS_HOST: host = HOST, OPS_PORT: port },
  health,
  metrics,
  log,
  notes = () => ({}),
  now = () => performance.now(),
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
  const handler = handlerOf(
    {
      '/livez': () => Promise.resolve(liveness(health)),
      '/readyz': async () => readiness(await check(), notes()),
      '/metrics': async () => ({ status: 200, type: metrics.contentType, body: await text() }),
    },
    log,
  );
  const server = httpServerPart({
    host,
    port,
    handler,
    health,
    log,
    portSetting: 'OPS_PORT',
    ...bounds,
  });
  health.enter('starting');
  return {
    url: server.url,
    around: (parts) => [{ ...server, name: 'operations port' }, ...parts, readyPart(health)],
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

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const json = (status: number, value: unknown): Reply => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
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

type Routes = Readonly<Record<string, () => Promise<Reply>>>;

/** Without Express and without access lines: probes come every few seconds. */
function handlerOf(
  routes: Routes,
  log: Log,
): (request: IncomingMessage, response: ServerResponse) => void {
  const replyTo = async ({ method = '', url = '' }: IncomingMessage): Promise<Reply> => {
    const path = url.split('?', 1)[0] ?? '';
    const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
    if (route === undefined) {
      return json(404, { error: `this port serves ${Object.keys(routes).join(', ')}` });
    }
    if (method !== 'GET' && method !== 'HEAD') return json(405, { error: 'use GET' });
    try {
      return await route();
    } catch (error) {
      log.error('operations port failed', { path, reason: describeError(error) });
      return json(500, { error: 'failed; the log says why' });
    }
  };
  return (request, response) => {
    request.resume();
    void replyTo(request).then(({ status, type, body }) => {
      response
        .writeHead(status, {
          'content-type': type,
          'content-length': Buffer.byteLength(body),
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        })
        .end(request.method === 'HEAD' ? undefined : body);
    });
  };
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
