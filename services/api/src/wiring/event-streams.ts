import { videoResource, type MediaLinks } from '@gateway/contracts';
import type { EventFeed, TaskLists } from '@gateway/store';
import type { Settings } from '../config.ts';
import { createEventStreams, type EventStreams } from '../http/event-streams.ts';
import { createFollowAccounts } from '../use-cases/follow-accounts.ts';
import { createFollowTasks } from '../use-cases/follow-tasks.ts';
import type { Clients } from './clients.ts';

export interface EventStreamParts {
  readonly lists: Pick<TaskLists, 'news'>;
  readonly feed: EventFeed;
  readonly links: MediaLinks;
  readonly slots: Clients['limits']['slots'];
  readonly settings: Readonly<Settings>;
  readonly log: Clients['log'];
}

/** Streams of what happens to tasks. */
export const buildEventStreams = ({
  lists,
  feed,
  links,
  slots,
  settings,
  log,
}: EventStreamParts): EventStreams =>
  createEventStreams({
    following: createFollowTasks({
      news: lists.news,
      everyMs: settings.EVENT_STREAM_LOOK_MS,
      log,
    }),
    followingAccounts: createFollowAccounts({
      feed,
      everyMs: settings.EVENT_STREAM_LOOK_MS,
      now: () => performance.now(),
      log,
    }),
    slots,
    mostPerKey: settings.EVENT_STREAMS_PER_KEY,
    pingMs: settings.EVENT_STREAM_PING_MS,
    resourceAt: (task, status) => videoResource(task, links, status),
  });
