import { videoResource, type MediaLinks } from '@gateway/contracts';
import { parseTokenKeys } from '@gateway/media';
import {
  createEventFeed,
  createOperatorFeed,
  createTaskLists,
  type EventFeed,
} from '@gateway/store';
import { createFeedPositions, type FeedPositions } from '../adapters/feed-positions.ts';
import type { VideoMetrics } from '../adapters/video-metrics.ts';
import type { Settings } from '../config.ts';
import { createEventStreams, type EventStreams } from '../http/event-streams.ts';
import { createFollowAccounts, mostBehind } from '../use-cases/follow-accounts.ts';
import { createFollowTasks } from '../use-cases/follow-tasks.ts';
import type { Clients } from './clients.ts';

export interface EventStreamParts {
  readonly clients: Pick<Clients, 'database' | 'limits' | 'log'>;
  readonly links: MediaLinks;
  readonly settings: Readonly<Settings>;
  readonly counts: Pick<VideoMetrics, 'openEventStreams'>;
}

/** What all routes with events share. */
export interface EventParts {
  readonly feed: EventFeed;
  readonly positions: FeedPositions;
  readonly streams: EventStreams;
}

/** Streams of what happens to tasks, customers' and operators'. */
export function buildEventStreams({
  clients: { database, limits, log },
  links,
  settings,
  counts,
}: EventStreamParts): EventParts {
  const feed = createEventFeed(database);
  const reading = { everyMs: settings.EVENT_STREAM_LOOK_MS, log };
  const following = { ...reading, now: () => performance.now() };
  const ofAll = createOperatorFeed(database);
  const streams = createEventStreams({
    following: createFollowTasks({ ...reading, news: createTaskLists(database).news }),
    followingAccounts: createFollowAccounts({ ...following, feed }),
    followingAll: createFollowAccounts({
      ...following,
      feed: { ...ofAll, after: (position) => ofAll.after(position, mostBehind) },
    }),
    slots: limits.slots,
    mostPerKey: settings.EVENT_STREAMS_PER_KEY,
    pingMs: settings.EVENT_STREAM_PING_MS,
    log,
    resourceAt: (task, status) => videoResource(task, links, status),
  });
  counts.openEventStreams(() => streams.size);
  const positions = createFeedPositions(parseTokenKeys(settings.MEDIA_TOKEN_KEYS));
  return { feed, positions, streams };
}
