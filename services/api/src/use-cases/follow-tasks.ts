import { describeError } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { FollowedTask, TaskLists, TaskNews } from '@gateway/store';

/** Whoever wants to hear of one task. */
export interface Follower {
  readonly taskId: string;
  /** The newest event that they know. */
  readonly sequence: () => number;
  readonly take: (news: TaskNews) => void;
}

export interface FollowTasksPorts {
  readonly news: TaskLists['news'];
  readonly everyMs: number;
  readonly log: Pick<Log, 'warn'>;
}

export interface FollowTasks {
  /**
   * Tells the follower everything that happens from now on, until the returned function is called.
   */
  follow(follower: Follower): () => void;
  /** Followers at present. */
  readonly size: number;
}

/**
 * Reads the news of all followed tasks of this process with one statement, as long as there are
 * any. The cost does not grow with the followers of one task, and no message that is lost on its
 * way to us can make a follower miss a change.
 */
export function createFollowTasks({ news, everyMs, log }: FollowTasksPorts): FollowTasks {
  const followers = new Set<Follower>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  const readNews = async (): Promise<void> => {
    try {
      deliver(await news(oldestKnown(followers)), followers);
      isFailing = false;
    } catch (error) {
      // Said once: the next statement finds whatever happened meanwhile.
      if (!isFailing) {
        log.warn('events of followed tasks could not be read', {
          reason: describeError(error),
          followers: followers.size,
        });
      }
      isFailing = true;
    }
  };
  const schedule = (): void => {
    if (timer !== undefined || followers.size === 0) return;
    timer = setTimeout(() => {
      void readNews().then(() => {
        timer = undefined;
        schedule();
      });
    }, everyMs);
  };
  return {
    follow(follower) {
      followers.add(follower);
      schedule();
      return () => {
        followers.delete(follower);
      };
    },
    get size() {
      return followers.size;
    },
  };
}

/** Each task once, with what the least informed of its followers knows. */
function oldestKnown(followers: ReadonlySet<Follower>): FollowedTask[] {
  const known = new Map<string, number>();
  for (const { taskId, sequence } of followers) {
    known.set(taskId, Math.min(known.get(taskId) ?? Infinity, sequence()));
  }
  return [...known].map(([taskId, sequence]) => ({ taskId, sequence }));
}

function deliver(news: readonly TaskNews[], followers: ReadonlySet<Follower>): void {
  if (news.length === 0) return;
  const byTask = new Map(news.map((item) => [item.taskId, item]));
  for (const follower of [...followers]) {
    const item = byTask.get(follower.taskId);
    if (item !== undefined) follower.take(item);
  }
}
