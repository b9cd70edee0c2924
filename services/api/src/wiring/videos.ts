import { Router, type Request } from 'express';
import type { MediaLinks } from '@gateway/contracts';
import type { UrlRule } from '@gateway/outbound';
import {
  intervalPart,
  type LiveConfiguration,
  type Part,
  type PeerAddress,
} from '@gateway/runtime';
import {
  createGoneModels,
  createTaskCreation,
  createTaskLists,
  createTaskReads,
  createTaskTimelines,
} from '@gateway/store';
import { createQueuePositions } from '../adapters/queue-positions.ts';
import { createGoneRoutes } from '../adapters/route-choice.ts';
import type { VideoMetrics } from '../adapters/video-metrics.ts';
import type { Settings } from '../config.ts';
import { presentedCredential, type Authenticate } from '../http/authentication.ts';
import type { Bodies } from '../bodies/index.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { eventRoutes } from '../http/routes/events.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { videoEventRoutes } from '../http/routes/video-events.ts';
import { videoRoutes } from '../http/routes/videos.ts';
import { createVideoResources } from '../http/video-resources.ts';
import { requireScope, type Authenticate as FindCaller } from '../use-cases/authenticate.ts';
import { buildCallbacks } from './callbacks.ts';
import { buildCancelAndDelete } from './cancel-and-delete.ts';
import { createListTasks } from '../use-cases/list-tasks.ts';
import type { Clients } from './clients.ts';
import { buildVideoCreation } from './video-creation.ts';
import type { EventParts } from './event-streams.ts';

export interface VideoParts {
  readonly settings: Readonly<Settings>;
  readonly configuration: LiveConfiguration;
  readonly rule: UrlRule;
  readonly clients: Clients;
  readonly links: MediaLinks;
  readonly authenticate: Authenticate;
  readonly findCaller: FindCaller;
  readonly peerOf: PeerAddress;
  readonly counts: VideoMetrics;
  readonly events: EventParts;
  readonly bodies: Bodies;
  readonly bodyRoutes: BodyRoutes;
}

export interface Videos {
  readonly routes: Router;
  /** Builds what a version of the configuration needs; throws when it cannot be used. */
  readonly prepare: ReturnType<typeof buildVideoCreation>;
  readonly reconcilers: readonly Part[];
}

const hourMs = 3_600_000;

/** `/v1/videos` with all below it, and `/v1/models`. */
export function buildVideos(parts: VideoParts): Videos {
  const { settings, configuration, clients, links, authenticate, counts } = parts;
  const { database, limits } = clients;
  const gone = goneRoutesFrom(clients);
  const versioned = buildVideoCreation({
    ...clients,
    settings,
    configuration,
    rule: parts.rule,
    heldData: parts.bodies.heldData,
    isGone: gone.isGone,
  });
  const { reconciler, ...cancelAndDelete } = buildCancelAndDelete({
    ...clients,
    waitMs: settings.OUTCOME_WAIT_MS,
    counts,
  });
  const lists = createTaskLists(database);
  const resources = createVideoResources({
    links,
    queuePositions: createQueuePositions(lists),
  });
  const { findOrArchived: findTask } = createTaskReads(database);
  const routes = Router();
  routes.use(
    videoRoutes({
      authenticate,
      createVideo: (request) => versioned().createVideo(request),
      quoteVideo: (request) => versioned().quoteVideo(request),
      ...cancelAndDelete,
      findTask,
      listTasks: createListTasks({ lists, slots: limits.slots }),
      resources,
      bodies: parts.bodyRoutes,
      bodyLimitBytes: settings.VIDEO_BODY_LIMIT_BYTES,
    }),
    buildEvents(parts, { lists, resources, findTask }),
    buildCallbacks(clients, { ...parts, bodies: parts.bodyRoutes }),
    modelRoutes({ authenticate, models: () => versioned().models }),
  );
  return {
    routes,
    prepare: versioned,
    reconcilers: [reconciler, gone.part, buildKeyPurge(clients)],
  };
}

/** What happened to one video or to all of an account, read or followed. */
function buildEvents(
  { clients, links, authenticate, findCaller, peerOf, events }: VideoParts,
  {
    lists,
    ...shared
  }: Pick<Parameters<typeof videoEventRoutes>[0], 'findTask' | 'resources'> & {
    readonly lists: ReturnType<typeof createTaskLists>;
  },
): Router {
  const stillAllowed = async (request: Request): Promise<void> => {
    requireScope(await findCaller(presentedCredential(request), peerOf(request)), 'videos:read');
  };
  return Router().use(
    videoEventRoutes({
      ...shared,
      authenticate,
      eventsOf: lists.events,
      timelineOf: createTaskTimelines(clients.database).find,
      streams: events.streams,
      stillAllowed,
    }),
    eventRoutes({ ...events, authenticate, links, stillAllowed }),
  );
}

const goneRoutesFrom = ({ database, clock, log }: Clients) =>
  createGoneRoutes({ models: createGoneModels(database), now: clock.now, log });

const buildKeyPurge = ({ database, log }: Clients): Part => {
  const { purgeKeys } = createTaskCreation(database);
  return intervalPart({
    name: 'purge idempotency keys',
    everyMs: hourMs,
    work: async () => {
      await purgeKeys();
    },
    log,
  });
};
