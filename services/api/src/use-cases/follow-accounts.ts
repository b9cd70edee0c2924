import { describeError } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { EventFeed, FeedEvent } from '@gateway/store';

/** Whoever wants to hear of all tasks of an account. */
export interface AccountFollower {
  readonly accountId: string;
  /** It has everything up to this position, and what it was told since. */
  readonly since: number;
  /**
   * Events may come again. Up to `resumeAt` the follower has everything: there it may go on if it
   * breaks off now.
   */
  readonly take: (events: readonly FeedEvent[], resumeAt: number) => void;
  /** More has happened than is read at once: it is followed no longer, and has to begin anew. */
  readonly fellBehind: () => void;
}

export interface FollowAccountsPorts {
  readonly feed: EventFeed;
  readonly everyMs: number;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
}

export interface FollowAccounts {
  /** Tells the follower everything behind its position, until the returned function is called. */
  follow(follower: AccountFollower): () => void;
}

/**
 * An event gets its position when it is written, and is seen when that is committed: later ones may
 * be seen before. A statement that takes longer than this is given up by whoever waits for it.
 */
const lateMs = 15_000;
/** However much is written meanwhile, no more than this is read again. */
export const mostBehind = 5_000;

interface Mark {
  readonly at: number;
  readonly newest: number;
}

/** Up to which position nothing can appear any more. */
function createSettling(now: () => number) {
  let marks: Mark[] = [];
  return {
    /** 0 as long as that is not known. */
    after(newest: number): number {
      marks.push({ at: now(), newest });
      while (marks[1] !== undefined && marks[1].at <= now() - lateMs) marks.shift();
      const [oldest] = marks;
      return oldest !== undefined && oldest.at <= now() - lateMs ? oldest.newest : 0;
    },
    forget(): void {
      marks = [];
    },
  };
}

/** Says once that reading fails: the next statement finds whatever happened meanwhile. */
function createFailureNote(log: Pick<Log, 'warn'>) {
  let isFailing = false;
  return {
    note(error: unknown, followers: number): void {
      if (!isFailing) {
        const reason = describeError(error);
        log.warn('events of followed accounts could not be read', { reason, followers });
      }
      isFailing = true;
    },
    mended(): void {
      isFailing = false;
    },
  };
}

/** Tells followers what is new to them; one call reads for all of them. */
function createReading(
  followers: Set<AccountFollower>,
  { feed, now }: Pick<FollowAccountsPorts, 'feed' | 'now'>,
): { once(): Promise<void>; pause(): void } {
  const settling = createSettling(now);
  /** Those that were told everything from their own position on. */
  const caughtUp = new WeakSet<AccountFollower>();
  /** Up to here nothing can appear any more, and everything was told. */
  let settled = 0;
  /** Up to here everything was told that could be seen then. */
  let readUpTo = 0;
  const dropThoseBehind = (newest: number): void => {
    for (const each of followers) {
      const has = caughtUp.has(each) ? readUpTo : each.since;
      if (newest - has <= mostBehind) continue;
      followers.delete(each);
      each.fellBehind();
    }
  };
  return {
    async once() {
      const newest = await feed.newest();
      dropThoseBehind(newest);
      const present = [...followers];
      if (present.length === 0) return;
      const settledNext = settling.after(newest);
      const resumeAt = (each: AccountFollower): number =>
        caughtUp.has(each) ? Math.max(settled, newest - mostBehind, each.since) : each.since;
      const accounts = [...new Set(present.map(({ accountId }) => accountId))];
      const events = await feed.after(Math.min(...present.map(resumeAt)), accounts);
      for (const follower of present) {
        const own = events.filter(({ accountId }) => accountId === follower.accountId);
        follower.take(own, resumeAt(follower));
        caughtUp.add(follower);
      }
      // Only now: what a read that failed has not told is read again.
      settled = Math.max(settled, settledNext);
      readUpTo = newest;
    },
    pause: settling.forget,
  };
}

/** Reads the events of all followed accounts of this process with one statement, again and again. */
export function createFollowAccounts({
  feed,
  everyMs,
  now,
  log,
}: FollowAccountsPorts): FollowAccounts {
  const followers = new Set<AccountFollower>();
  const reading = createReading(followers, { feed, now });
  const failures = createFailureNote(log);
  let timer: NodeJS.Timeout | undefined;
  const read = async (): Promise<void> => {
    if (followers.size === 0) return;
    try {
      await reading.once();
      failures.mended();
    } catch (error) {
      failures.note(error, followers.size);
    }
  };
  const schedule = (): void => {
    if (timer !== undefined) return;
    if (followers.size === 0) {
      reading.pause();
      return;
    }
    timer = setTimeout(() => {
      void read().then(() => {
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
  };
}
