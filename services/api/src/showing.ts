import { videoResource, type MediaLinks } from '@gateway/contracts';
import type { Slots } from '@gateway/limits';
import { Gauge, type Log, type Registry } from '@gateway/runtime';
import { createTaskLists, type Database } from '@gateway/store';
import type { Settings } from './config.ts';
import { createQueuePositions } from './adapters/queue-positions.ts';
import { presentedKey } from './http/authentication.ts';
import { createEventStreams } from './http/event-streams.ts';
import type { VideoEventRoutesOptions } from './http/routes/video-events.ts';
import type { VideoRoutesOptions } from './http/routes/videos.ts';
import { createVideoAnswers } from './http/video-answers.ts';
import type { Authenticate } from './use-cases/authenticate.ts';
import { createFollowTasks } from './use-cases/follow-tasks.ts';

export interface ShowingParts {
  readonly database: Database;
  readonly links: MediaLinks;
  readonly slots: Slots;
  readonly findCaller: Authenticate;
  readonly settings: Pick<
    Settings,
    'EVENT_STREAM_LOOK_MS' | 'EVENT_STREAM_PING_MS' | 'EVENT_STREAMS_PER_KEY'
  >;
  readonly metrics: Registry;
  readonly log: Log;
}

/** What customers see of their tasks: one, a page of them, and what happens to one. */
export function buildShowing({
  database,
  links,
  slots,
  findCaller,
  settings,
  metrics,
  log,
}: ShowingParts): {
  readonly videos: Pick<VideoRoutesOptions, 'taskPage' | 'answers'>;
  readonly events: Omit<VideoEventRoutesOptions, 'authenticate' | 'findTask'>;
  readonly endStreams: () => void;
} {
  const lists = createTaskLists(database);
  const answers = createVideoAnswers({
    links,
    queuePositions: createQueuePositions({ ask: lists.queuePositions }),
  });
  const following = createFollowTasks({
    news: lists.news,
    everyMs: settings.EVENT_STREAM_LOOK_MS,
    log,
  });
  const streams = createEventStreams({
    following,
    slots,
    mostPerKey: settings.EVENT_STREAMS_PER_KEY,
    pingMs: settings.EVENT_STREAM_PING_MS,
    resourceAt: (task, status) => videoResource(task, links, status),
  });
  const gauge = new Gauge({
    name: 'gateway_event_streams',
    help: 'Event streams that are open.',
    registers: [metrics],
    collect: () => {
      gauge.set(streams.size);
    },
  });
  return {
    videos: { taskPage: lists.page, answers },
    events: {
      eventsOf: lists.events,
      streams,
      answers,
      stillAllowed: async (request) => findCaller(presentedKey(request.headers)),
    },
    endStreams: streams.endAll,
  };
}
