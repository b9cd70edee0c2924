import type { IncomingMessage, ServerResponse } from 'node:http';
import { describeError } from '@gateway/domain';
import type { Part } from '../lifecycle/part.ts';
import type { Log } from '../log.ts';
import type { Health } from './health.ts';
import { httpServerPart } from './http-server.ts';

export interface OpsPortOptions {
  readonly settings: {
    readonly HOST: string;
    readonly OPS_HOST?: string;
    readonly OPS_PORT: number;
  };
  readonly health: Health;
  readonly log: Log;
  readonly routes: OpsRoutes;
}

export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** What each path says. */
export type OpsRoutes = Readonly<Record<string, () => Promise<Reply>>>;

/** Whoever holds connections open must not keep the probes out for long. */
const bounds = {
  maxConnections: 64,
  drainMs: 1_000,
  timeouts: { headersMs: 5_000, requestMs: 5_000, idleMs: 5_000, checkEveryMs: 1_000 },
};

/** A port that only operators reach. */
export function opsPort({
  settings: { HOST, OPS_HOST: host = HOST, OPS_PORT: port },
  health,
  log,
  routes,
}: OpsPortOptions): Part & { url(): string } {
  const server = httpServerPart({
    host,
    port,
    handler: handlerOf(routes, log),
    health,
    log,
    portSetting: 'OPS_PORT',
    isOwn: true,
    ...bounds,
  });
  return { ...server, name: 'operations port' };
}

export const json = (status: number, value: unknown): Reply => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
});

/** Without Express and without access lines: probes come every few seconds. */
function handlerOf(
  routes: OpsRoutes,
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
