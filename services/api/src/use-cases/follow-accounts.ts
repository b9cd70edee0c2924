import { describeError, nothingSettled, settledWith } from '@gateway/domain';
import type { Log } from '@gateway/runtime';
import type { AnyEvent } from '@gateway/store';

/** Whoever wants to hear of all tasks of an account, or of all accounts. */
export interface AccountFollower<Event> {
  /** Undefined: of all. */
  readonly accountId: string | undefined;
  /** It has everything up to this position, and what it was told since. */
  readonly since: number;
  /**
   * Events may come again. Up to `resumeAt` the follower has everything: there it may go on if it
   * breaks off now.
   */
  readonly take: (events: readonly Event[], resumeAt: number) => void;
  /** More has happened than is read at once: it is followed no longer, and has to begin anew. */
  readonly fellBehind: () => void;
}

/** What happens to the tasks of all accounts. */
export interface FollowedFeed<Event> {
  /** Of the newest event of all; one that is written at this moment may have a lower one. */
  newest(): Promise<number>;
  /** Events behind a position, of these accounts at least. */
  after(position: number, accountIds: readonly string[]): Promise<readonly Event[]>;
  /** Nobody follows any more. */
  forget?(): void;
}

export interface FollowAccountsPorts<Event> {
  readonly feed: FollowedFeed<Event>;
  readonly everyMs: number;
  readonly now: () => number;
  readonly log: Pick<Log, 'warn'>;
}

export interface FollowAccounts<Event> {
  /** Tells the follower everything behind its position, until the returned function is called. */
  follow(follower: AccountFollower<Event>): () => void;
}

/** However much is written meanwhile, no more than this is read again. */
export const mostBehind = 5_000;

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
function createReading<Event extends AnyEvent>(
  followers: Set<AccountFollower<Event>>,
  { feed, now }: Pick<FollowAccountsPorts<Event>, 'feed' | 'now'>,
): { once(): Promise<void>; pause(): void } {
  let settling = nothingSettled;
  /** Those that were told everything from their own position on. */
  const caughtUp = new WeakSet<AccountFollower<Event>>();
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
      settling = settledWith(settling, { at: now(), newest });
      const resumeAt = (each: AccountFollower<Event>): number =>
        caughtUp.has(each) ? Math.max(settled, newest - mostBehind, each.since) : each.since;
      const accounts = [...new Set(present.flatMap(({ accountId }) => accountId ?? []))];
      const events = await feed.after(Math.min(...present.map(resumeAt)), accounts);
      for (const follower of present) {
        const { accountId } = follower;
        const own = accountId === undefined ? events : events.filter(isOf(accountId));
        follower.take(own, resumeAt(follower));
        caughtUp.add(follower);
      }
      // Only now: what a read that failed has not told is read again.
      settled = Math.max(settled, settling.upTo);
      readUpTo = newest;
    },
    pause() {
      settling = nothingSettled;
      feed.forget?.();
    },
  };
}

const isOf =
  (wanted: string) =>
  ({ accountId }: AnyEvent): boolean =>
    accountId === wanted;

/** Reads the events of all followed accounts of this process with one statement, again and again. */
export function createFollowAccounts<Event extends AnyEvent>({
  feed,
  everyMs,
  now,
  log,
}: FollowAccountsPorts<Event>): FollowAccounts<Event> {
  const followers = new Set<AccountFollower<Event>>();
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
