import type { RequestListener } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { UrlRule } from '@gateway/outbound';
import {
  createHealth,
  createHttpApp,
  createPeerAddress,
  httpServerPart,
  opsServer,
  replicaReportPart,
  type LiveConfiguration,
  type Part,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import { createReplicaReports } from '@gateway/store';
import { createVideoMetrics } from './adapters/video-metrics.ts';
import type { Settings } from './config.ts';
import { withCors } from './http/cors.ts';
import { withPathAliases } from './http/path-aliases.ts';
import { createInnerCalls } from './mcp/index.ts';
import { servedRoutes } from './http/served-routes.ts';
import { refusalBody, refuseUnknownPath, textRoutes } from './text/index.ts';
import { buildAdministration } from './wiring/administration.ts';
import { buildAssets } from './wiring/assets.ts';
import { buildAdmission, buildAuthentication } from './wiring/authentication.ts';
import { buildBilling } from './wiring/billing.ts';
import { buildBodies } from './wiring/bodies.ts';
import { openClients, type ClientOptions, type Clients } from './wiring/clients.ts';
import { buildEventStreams } from './wiring/event-streams.ts';
import { buildKeys } from './wiring/keys.ts';
import { buildMcp } from './wiring/mcp.ts';
import { buildMedia } from './wiring/media.ts';
import { buildPages } from './wiring/pages.ts';
import { buildStoredResponses } from './wiring/stored-responses.ts';
import { buildReceipts } from './wiring/receipts.ts';
import { buildSessions } from './wiring/sessions.ts';
import { buildText } from './wiring/text.ts';
import { addressRule } from './wiring/video-creation.ts';
import { buildVideos } from './wiring/videos.ts';

export interface ApiService extends Service {
  url(): string;
  /** Where the operations port listens. */
  opsUrl(): string;
  /** Every route and method, as `GET /v1/videos/{}`. */
  readonly routes: readonly string[];
}

interface Surroundings extends ClientOptions {
  readonly tracing?: Tracing | undefined;
  /** How long one text of the metrics serves whoever asks; a moment when left out. */
  readonly metricsFreshMs?: number | undefined;
}

/** Builds the api service from its settings; what connects is made in `wiring/clients.ts`. */
export async function createService(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { log: replacedLog, redisTimeoutMs, tracing, metricsFreshMs }: Surroundings = {},
): Promise<ApiService> {
  const rule = addressRule(settings);
  const clients = await openClients(settings, { log: replacedLog, redisTimeoutMs });
  const foundations = { rule, clients, tracing, control: (): RequestListener => control };
  const built = buildAll(settings, configuration, foundations);
  const { app, server, ops, control } = serve(settings, built, {
    clients,
    tracing,
    metricsFreshMs,
  });
  const { authentication, bodies, administration, responses, text, videos, assets } = built;
  const { log, metrics, requestLines, database, clock, producer, limits } = clients;
  return {
    log,
    exceptionsBeforeRestart: settings.EXCEPTIONS_BEFORE_RESTART,
    drainMs: settings.STOP_DELAY_MS + settings.DRAIN_MS,
    url: server.url,
    opsUrl: ops.url,
    routes: servedRoutes(app, textRoutes),
    parts: ops.around([
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      requestLines.part,
      configuration.watch({ log, metrics, prepare: videos.prepare }),
      database.part,
      clock.part,
      ...authentication.parts,
      producer.part,
      ...administration.parts,
      // Stopped after the usage is safe: what is left of the time is for what may be lost.
      responses.part,
      text.leasesPart,
      ...text.meteringParts,
      limits.part,
      bodies.part,
      text.part,
      assets.reconciler,
      built.sessions.purge,
      ...videos.reconcilers,
      reportPart(configuration, clients),
      server,
      stopDelayPart(settings),
    ]),
  };
}

/** The first of them to stop, when /readyz has turned to 503: a balancer needs time to see it. */
const stopDelayPart = ({ STOP_DELAY_MS: stopDelayMs }: Readonly<Settings>): Part => ({
  name: 'stop delay',
  stop: () => delay(stopDelayMs),
});

/** Tells operators of this replica. */
const reportPart = (
  configuration: LiveConfiguration,
  { replicaId, limits, database, log }: Clients,
): Part =>
  replicaReportPart({
    service: 'api',
    id: replicaId,
    facts: () => ({
      configuration: configuration.standing(),
      routes: Object.fromEntries(limits.routes.states()),
    }),
    reports: createReplicaReports(database),
    log,
  });

interface Foundations {
  readonly rule: UrlRule;
  readonly clients: Clients;
  readonly tracing: Tracing | undefined;
  /** What serves every path outside the text lane. */
  readonly control: () => RequestListener;
}

function buildAll(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { rule, clients, tracing, control }: Foundations,
) {
  const { database, clock, limits } = clients;
  const authentication = buildAuthentication(settings, clients);
  const findCaller = authentication.authenticate;
  const peerOf = createPeerAddress(settings.TRUSTED_PROXIES);
  const innerCalls = createInnerCalls(control);
  const authenticate = buildAdmission(
    { findCaller, peerOf, isCounted: innerCalls.isInner },
    limits,
    configuration,
  );
  const media = buildMedia(settings, clients);
  const counts = createVideoMetrics(clients.metrics);
  const events = buildEventStreams({ clients, settings, counts, links: media.links });
  const { bodies, deadlines, bodyRoutes } = buildBodies(settings, configuration, clients);
  const shared = { settings, configuration, clients, authenticate, bodies, bodyRoutes };
  const told = { configuration, counts, events, peerOf };
  const responses = buildStoredResponses(settings, clients, authenticate);
  return {
    peerOf,
    authentication,
    bodies,
    media,
    events,
    pages: buildPages(settings, clients),
    administration: buildAdministration(settings, { ...clients, ...told }, bodyRoutes),
    assets: buildAssets({ ...shared, ...clients, serving: media.serving }),
    videos: buildVideos({ ...shared, ...told, rule, links: media.links, findCaller }),
    billing: buildBilling(database, authenticate, clock),
    receipts: buildReceipts(settings, clients, authenticate),
    mcp: buildMcp({ settings, clients, authenticate, bodies, peerOf, innerCalls }),
    responses,
    keys: buildKeys({ ...clients, authenticate, bodies: bodyRoutes }),
    sessions: buildSessions(settings, {
      ...clients,
      authenticate,
      forget: authentication.forgetSession,
    }),
    text: buildText({
      ...shared,
      rule,
      deadlines,
      authenticate: findCaller,
      peerOf,
      tracing,
      storedResponses: responses.storedResponses,
    }),
  };
}

/** Express, and before it the text lane, which is outside of it. */
function serve(
  settings: Readonly<Settings>,
  built: ReturnType<typeof buildAll>,
  {
    clients: { database, storage, clock, metrics, requestLines, log },
    tracing,
    metricsFreshMs,
  }: Omit<Foundations, 'rule' | 'control'> & Pick<Surroundings, 'metricsFreshMs'>,
) {
  const { peerOf, text, videos } = built;
  // Text needs no storage. What depends on time goes by the database's clock here, whatever this
  // machine's shows.
  const health = createHealth(
    { database: database.check },
    { storage: storage.checkReady, clock: clock.check },
  );
  const ops = opsServer({ settings, health, metrics, log, metricsFreshMs });
  const app = createHttpApp({
    log,
    metrics,
    health,
    tracing,
    isTraceparentOnlyLinked: settings.TRUST_TRACEPARENT !== true,
    peerOf,
    requestLines,
    routes: (to) => {
      // Express asks each route in turn whether the path is its own: the busiest come first.
      to.use(
        videos.routes,
        built.pages,
        built.administration.routes,
        built.media.routes,
        built.assets.routes,
        built.billing,
        built.responses.routes,
        built.sessions.routes,
        built.keys,
        built.receipts,
        built.mcp,
        refuseUnknownPath,
      );
    },
  });
  const control = withPathAliases(app);
  const server = httpServerPart({
    host: settings.HOST,
    port: settings.PORT,
    health,
    log,
    handler: withCors(settings.CORS_ORIGINS, (request, response) => {
      if (!text.lane(request, response)) control(request, response);
    }),
    drainMs: settings.DRAIN_MS,
    onStopping: built.events.streams.endAll,
    endOpenResponses: text.endOpenCompletions,
    refusalBody,
    continues: 'by handler',
  });
  return { app, server, ops, control };
}
