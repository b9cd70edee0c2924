import type { UrlRule } from '@gateway/outbound';
import {
  createHealth,
  createHttpApp,
  createPeerAddress,
  httpServerPart,
  opsServer,
  version,
  type LiveConfiguration,
  type Log,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import type { Settings } from './config.ts';
import { withCors } from './http/cors.ts';
import { withPathAliases } from './http/path-aliases.ts';
import { referenceRoutes } from './reference/reference-routes.ts';
import { servedRoutes } from './http/served-routes.ts';
import { createReference } from './reference/reference.ts';
import { refusalBody, refuseUnknownPath, textRoutes } from './text/index.ts';
import { buildAdministration } from './wiring/administration.ts';
import { buildAssets } from './wiring/assets.ts';
import { buildAdmission, buildAuthentication } from './wiring/authentication.ts';
import { buildBilling } from './wiring/billing.ts';
import { buildBodies } from './wiring/bodies.ts';
import { openClients, type Clients } from './wiring/clients.ts';
import { buildMedia } from './wiring/media.ts';
import { buildStoredResponses } from './wiring/stored-responses.ts';
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

interface Surroundings {
  readonly log?: Log;
  readonly tracing?: Tracing | undefined;
}

/** Builds the api service from its settings; what connects is made in `wiring/clients.ts`. */
export async function createService(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { log: replacedLog, tracing }: Surroundings = {},
): Promise<ApiService> {
  const rule = addressRule(settings);
  const clients = await openClients(settings, replacedLog);
  const built = buildAll(settings, configuration, { rule, clients, tracing });
  const { app, server, ops } = serve(settings, built, { clients, tracing });
  const { authentication, bodies, administration, responses, text, videos, assets } = built;
  const { log, metrics, requestLines, database, clock, producer, limits } = clients;
  return {
    log,
    exceptionsBeforeRestart: settings.EXCEPTIONS_BEFORE_RESTART,
    url: server.url,
    opsUrl: ops.url,
    routes: servedRoutes(app, textRoutes),
    parts: ops.around([
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      requestLines.part,
      configuration.watch({ log, metrics, prepare: videos.prepare }),
      database.part,
      clock.part,
      authentication.keyUses,
      producer.part,
      ...administration.parts,
      // Stopped after the usage is safe: what is left of the time is for what may be lost.
      responses.part,
      text.leasesPart,
      text.meteringPart,
      limits.part,
      bodies.part,
      text.part,
      assets.reconciler,
      ...videos.reconcilers,
      server,
    ]),
  };
}

interface Foundations {
  readonly rule: UrlRule;
  readonly clients: Clients;
  readonly tracing: Tracing | undefined;
}

function buildAll(
  settings: Readonly<Settings>,
  configuration: LiveConfiguration,
  { rule, clients, tracing }: Foundations,
) {
  const { database, clock, limits } = clients;
  const authentication = buildAuthentication(settings, clients);
  const findCaller = authentication.authenticate;
  const peerOf = createPeerAddress(settings.TRUSTED_PROXIES);
  const authenticate = buildAdmission({ findCaller, peerOf }, limits, configuration);
  const media = buildMedia(settings, clients);
  const { bodies, deadlines, bodyRoutes } = buildBodies(settings, configuration, clients);
  const shared = { settings, configuration, clients, authenticate, bodies, bodyRoutes };
  const responses = buildStoredResponses(settings, clients, authenticate);
  return {
    peerOf,
    authentication,
    bodies,
    media,
    administration: buildAdministration(settings, { ...clients, configuration }, bodyRoutes),
    assets: buildAssets({ ...shared, ...clients, serving: media.serving }),
    videos: buildVideos({ ...shared, rule, links: media.links, findCaller, peerOf }),
    billing: buildBilling(database, authenticate, clock),
    responses,
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
  { clients: { database, storage, clock, metrics, log }, tracing }: Omit<Foundations, 'rule'>,
) {
  const { peerOf, text, videos } = built;
  // Text needs no storage. What depends on time goes by the database's clock here, whatever this
  // machine's shows.
  const health = createHealth(
    { database: database.check },
    { storage: storage.checkReady, clock: clock.check },
  );
  const ops = opsServer({ settings, health, metrics, log });
  const app = createHttpApp({
    log,
    metrics,
    health,
    tracing,
    isTraceparentOnlyLinked: settings.TRUST_TRACEPARENT !== true,
    peerOf,
    routes: (to) => {
      to.use(
        referenceRoutes(createReference({ baseUrl: settings.PUBLIC_BASE_URL, version })),
        built.administration.routes,
        built.media.routes,
        built.assets.routes,
        videos.routes,
        built.billing,
        built.responses.routes,
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
    onStopping: videos.endStreams,
    endOpenResponses: text.endOpenCompletions,
    refusalBody,
    continues: 'by handler',
  });
  return { app, server, ops };
}
