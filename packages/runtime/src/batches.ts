export interface Waiting<Request, Result> {
  readonly request: Request;
  /** Aborted once nobody waits for the result any more. */
  readonly signal: AbortSignal | undefined;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Why a request was not served: too many wait already, it waited too long, or its caller has gone. */
export type BatchRefusal = 'full' | 'late' | 'gone';

export interface BatchBounds {
  /** Requests of one key that may wait at once. */
  readonly mostWaiting: number;
  /** Requests of all keys together. */
  readonly mostWaitingInAll: number;
  /** How long one waits to be served. */
  readonly waitMs: number;
  /**
   * What the first of a key waits for while none is being served: those that come until then are
   * served with it. At once when left out.
   */
  readonly gather?: () => Promise<unknown>;
}

export interface BatchesOptions<Request, Result> {
  readonly bounds: BatchBounds;
  /** Larger batches win nothing and make one statement's failure hit more callers. */
  readonly mostAtOnce: number;
  /**
   * Resolves for everyone in the batch; what it throws is told to those who have no result yet.
   * `later`: who waits for the next one by then.
   */
  readonly serve: (
    key: string,
    batch: readonly Waiting<Request, Result>[],
    later: () => Iterable<Waiting<Request, Result>>,
  ) => Promise<void>;
  /** What a request that is not served rejects with; nothing was done for it. */
  readonly refusal: (why: BatchRefusal) => Error;
}

export type ServeInBatches<Request, Result> = (
  key: string,
  request: Request,
  signal?: AbortSignal,
) => Promise<Result>;

/**
 * Requests of one key that arrive while others of it are being served are served together
 * afterwards. One batch in flight for each key: for writers of one hot row, whose rate is limited
 * by how long it is locked. Whoever stops waiting leaves, and is not served.
 */
export function createBatches<Request, Result>(
  options: BatchesOptions<Request, Result>,
): ServeInBatches<Request, Result> {
  type Entry = Waiting<Request, Result>;
  const { bounds, mostAtOnce, serve, refusal } = options;
  const lobbies = new Map<string, Lobby<Entry>>();
  const inAll = { waiting: 0 };
  const serveAll = async (key: string, first: Entry): Promise<void> => {
    const lobby = createLobby<Entry>(options, inAll);
    lobbies.set(key, lobby);
    if (bounds.gather !== undefined) await bounds.gather();
    let batch = [first, ...lobby.leaveTogether(mostAtOnce - 1)];
    for (; batch.length > 0; batch = lobby.leaveTogether(mostAtOnce)) {
      try {
        await serve(key, batch, lobby.all);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    lobbies.delete(key);
  };
  return (key, request, signal) =>
    new Promise((resolve, reject) => {
      const entry = { request, signal, resolve, reject };
      const lobby = lobbies.get(key);
      if (signal?.aborted === true) reject(refusal('gone'));
      else if (lobby === undefined) void serveAll(key, entry);
      else if (lobby.size() >= bounds.mostWaiting || inAll.waiting >= bounds.mostWaitingInAll) {
        reject(refusal('full'));
      } else lobby.enter(entry);
    });
}

/** Those who wait for one key, in the order in which they came. */
interface Lobby<Entry> {
  size(): number;
  all(): Iterable<Entry>;
  /** Until it is served, gets too late, or its caller has gone. */
  enter(entry: Entry): void;
  /** The first of them, at most so many. */
  leaveTogether(most: number): Entry[];
}

function createLobby<Entry extends Pick<Waiting<unknown, unknown>, 'signal' | 'reject'>>(
  { bounds: { waitMs }, refusal }: Pick<BatchesOptions<unknown, unknown>, 'bounds' | 'refusal'>,
  inAll: { waiting: number },
): Lobby<Entry> {
  /** With how to stop watching over each. */
  const waiting = new Map<Entry, () => void>();
  const leave = (entry: Entry): void => {
    waiting.get(entry)?.();
    if (waiting.delete(entry)) inAll.waiting -= 1;
  };
  return {
    size: () => waiting.size,
    all: () => waiting.keys(),
    enter(entry) {
      const refuse = (why: BatchRefusal): void => {
        leave(entry);
        entry.reject(refusal(why));
      };
      const onGone = (): void => {
        refuse('gone');
      };
      const timer = setTimeout(refuse, waitMs, 'late').unref();
      entry.signal?.addEventListener('abort', onGone, { once: true });
      inAll.waiting += 1;
      waiting.set(entry, () => {
        clearTimeout(timer);
        entry.signal?.removeEventListener('abort', onGone);
      });
    },
    leaveTogether(most) {
      const batch: Entry[] = [];
      for (const entry of waiting.keys()) {
        if (batch.length === most) break;
        leave(entry);
        batch.push(entry);
      }
      return batch;
    },
  };
}
