import { Router } from 'express';
import type { MediaLinks } from '@gateway/contracts';
import type { UrlRule } from '@gateway/outbound';
import {
  intervalPart,
  type LiveConfiguration,
  type Part,
  type PeerAddress,
} from '@gateway/runtime';
import { createTaskCreation, createTaskLists, createTaskReads } from '@gateway/store';
import { createQueuePositions } from '../adapters/queue-positions.ts';
import { createVideoMetrics } from '../adapters/video-metrics.ts';
import type { Settings } from '../config.ts';
import { presentedKey, type Authenticate } from '../http/authentication.ts';
import type { Bodies } from '../bodies/index.ts';
import type { BodyRoutes } from '../http/json-body.ts';
import { modelRoutes } from '../http/routes/models.ts';
import { videoEventRoutes } from '../http/routes/video-events.ts';
import { videoRoutes } from '../http/routes/videos.ts';
import { createVideoResources } from '../http/video-resources.ts';
import type { Authenticate as FindCaller } from '../use-cases/authenticate.ts';
import { buildCallbacks } from './callbacks.ts';
import { buildCancelAndDelete } from './cancel-and-delete.ts';
import type { Clients } from './clients.ts';
import { buildVideoCreation } from './video-creation.ts';
import { buildEventStreams } from './event-streams.ts';

export interface VideoParts {
  readonly settings: Readonly<Settings>;
  readonly configuration: LiveConfiguration;
  readonly rule: UrlRule;
  readonly clients: Clients;
  readonly links: MediaLinks;
  readonly authenticate: Authenticate;
  readonly findCaller: FindCaller;
  readonly peerOf: PeerAddress;
  readonly bodies: Bodies;
  readonly bodyRoutes: BodyRoutes;
}

export interface Videos {
  readonly routes: Router;
  /** Builds what a version of the configuration needs; throws when it cannot be used. */
  readonly prepare: ReturnType<typeof buildVideoCreation>;
  readonly endStreams: () => void;
  readonly reconcilers: readonly Part[];
}

const hourMs = 3_600_000;

/** `/v1/videos` with all below it, and `/v1/models`. */
export function buildVideos(parts: VideoParts): Videos {
  const { settings, configuration, clients, links, authenticate, findCaller, peerOf } = parts;
  const { database, limits, log } = clients;
  const counts = createVideoMetrics(clients.metrics);
  const versioned = buildVideoCreation({
    ...clients,
    settings,
    configuration,
    rule: parts.rule,
    heldData: parts.bodies.heldData,
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
  const streams = buildEventStreams({ lists, links, slots: limits.slots, settings, log });
  counts.openEventStreams(() => streams.size);
  const { findOrArchived: findTask } = createTaskReads(database);
  const routes = Router();
  routes.use(
    videoRoutes({
      authenticate,
      createVideo: (request) => versioned().createVideo(request),
      quoteVideo: (request) => versioned().quoteVideo(request),
      ...cancelAndDelete,
      findTask,
      taskPage: lists.page,
      resources,
      bodies: parts.bodyRoutes,
      bodyLimitBytes: settings.VIDEO_BODY_LIMIT_BYTES,
    }),
    videoEventRoutes({
      authenticate,
      findTask,
      eventsOf: lists.events,
      streams,
      resources,
      stillAllowed: async (request) => findCaller(presentedKey(request.headers), peerOf(request)),
    }),
    buildCallbacks(clients, authenticate, parts.bodyRoutes),
    modelRoutes({ authenticate, models: () => versioned().models }),
  );
  return {
    routes,
    prepare: versioned,
    endStreams: streams.endAll,
    reconcilers: [reconciler, buildKeyPurge(clients)],
  };
}

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
