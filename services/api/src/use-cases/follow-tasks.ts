import { describeError } from '@gateway/domain';
import type { FollowedTask, TaskNews } from '@gateway/store';

/** Somebody who wants to hear of one task. */
export interface Follower {
  readonly taskId: string;
  /** The newest event that they know. */
  readonly sequence: () => number;
  readonly take: (news: TaskNews) => void;
}

export interface FollowTasksPorts {
  readonly news: (followed: readonly FollowedTask[]) => Promise<readonly TaskNews[]>;
  readonly everyMs: number;
  readonly log: {
    readonly warn: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  };
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
 * Looks at all followed tasks of this process at once, with one statement, as long as there are
 * any: what it costs does not grow with how many follow one task, and nothing that is lost on the
 * way to us can make it miss a change.
 */
export function createFollowTasks({ news, everyMs, log }: FollowTasksPorts): FollowTasks {
  const followers = new Set<Follower>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;
  const look = async (): Promise<void> => {
    try {
      deliver(await news(oldestKnown(followers)), followers);
      isFailing = false;
    } catch (error) {
      // Said once: the next look finds whatever happened meanwhile.
      if (!isFailing) {
        log.warn('followed tasks could not be looked at', {
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
      void look().then(() => {
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
