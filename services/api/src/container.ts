import type { UrlRule } from '@gateway/outbound';
import {
  createHealth,
  createHttpApp,
  httpServerPart,
  version,
  type LiveConfiguration,
  type Log,
  type Service,
  type Tracing,
} from '@gateway/runtime';
import type { Settings } from './config.ts';
import { withPathAliases } from './http/path-aliases.ts';
import { referenceRoutes } from './reference/reference-routes.ts';
import { servedRoutes } from './http/served-routes.ts';
import { createReference } from './reference/reference.ts';
import { refusalBody, textRoutes } from './text/index.ts';
import { buildAdministration } from './wiring/administration.ts';
import { buildAssets } from './wiring/assets.ts';
import { buildAdmission, buildAuthentication } from './wiring/authentication.ts';
import { buildBilling } from './wiring/billing.ts';
import { openClients, type Clients } from './wiring/clients.ts';
import { buildMedia } from './wiring/media.ts';
import { buildText } from './wiring/text.ts';
import { addressRule } from './wiring/video-creation.ts';
import { buildVideos } from './wiring/videos.ts';

export interface ApiService extends Service {
  url(): string;
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
  const { app, server } = serve(settings, built, { clients, tracing });
  const { authentication, administration, text, videos, assets } = built;
  const { log, metrics, requestLines, database, producer, limits } = clients;
  return {
    log,
    url: server.url,
    routes: servedRoutes(app, textRoutes),
    parts: [
      ...(tracing === undefined ? [] : [tracing.part(log)]),
      requestLines.part,
      configuration.watch({ log, metrics, prepare: videos.prepare }),
      database.part,
      authentication.keyUses,
      producer.part,
      ...administration.parts,
      text.meteringPart,
      limits.part,
      text.part,
      assets.reconciler,
      ...videos.reconcilers,
      server,
    ],
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
  const { database, limits, log } = clients;
  const authentication = buildAuthentication(database, log);
  const findCaller = authentication.authenticate;
  const authenticate = buildAdmission(findCaller, limits, configuration);
  const media = buildMedia(settings, clients);
  const shared = { settings, configuration, clients, authenticate };
  return {
    authentication,
    media,
    administration: buildAdministration(settings, clients),
    assets: buildAssets({ ...shared, ...clients, serving: media.serving }),
    videos: buildVideos({ ...shared, rule, links: media.links, findCaller }),
    billing: buildBilling(database, authenticate),
    text: buildText({ ...shared, authenticate: findCaller, tracing }),
  };
}

/** Express, and before it the text lane, which is outside of it. */
function serve(
  settings: Readonly<Settings>,
  { media, administration, assets, videos, billing, text }: ReturnType<typeof buildAll>,
  { clients: { database, storage, metrics, log }, tracing }: Omit<Foundations, 'rule'>,
) {
  // text needs no storage
  const health = createHealth({ database: database.check }, { storage: storage.checkReady });
  const app = createHttpApp({
    log,
    metrics,
    health,
    tracing,
    routes: (to) => {
      to.use(
        referenceRoutes(createReference({ baseUrl: settings.PUBLIC_BASE_URL, version })),
        administration.routes,
        media.routes,
        assets.routes,
        videos.routes,
        billing,
      );
    },
  });
  const control = withPathAliases(app);
  const server = httpServerPart({
    host: settings.HOST,
    port: settings.PORT,
    health,
    log,
    handler: (request, response) => {
      if (!text.lane(request, response)) control(request, response);
    },
    drainMs: settings.DRAIN_MS,
    onStopping: videos.endStreams,
    endOpenAnswers: text.endOpenCompletions,
    refusalBody,
  });
  return { app, server };
}
