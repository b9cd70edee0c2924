import type { ServerResponse } from 'node:http';
import type { Task, VideoResource } from '@gateway/contracts';
import { GatewayError, isTerminal, type TaskStatus } from '@gateway/domain';
import type { Slots } from '@gateway/limits';
import type { FeedEvent, OperatorEvent } from '@gateway/store';
import type { FollowAccounts } from '../use-cases/follow-accounts.ts';
import type { FollowTasks } from '../use-cases/follow-tasks.ts';
import { createFeedStreams, type OpenFeedStream } from './feed-streams.ts';
import { createLiveStreams, type OpenStream } from './live-streams.ts';
import {
  createStreamKeeper,
  type StreamHolder,
  type StreamKeeperOptions,
} from './stream-keeper.ts';

export interface EventStreamsOptions extends StreamKeeperOptions {
  readonly following: FollowTasks;
  readonly followingAccounts: FollowAccounts<FeedEvent>;
  readonly followingAll: FollowAccounts<OperatorEvent>;
  readonly slots: Slots;
  /** Streams that one key, or one operator, may have open at once, over all replicas. */
  readonly mostPerKey: number;
  /** The resource as it was, or is, with this status. */
  readonly resourceAt: (task: Task, status: TaskStatus) => VideoResource;
}

export interface EventStreams {
  /**
   * Responds with a stream that ends after the terminal status. Throws rate_limit_exceeded when the
   * key has as many as it may have.
   */
  open(stream: OpenStream): Promise<void>;
  /** The same of all tasks of an account, which does not end by itself. */
  openAccount(stream: OpenFeedStream<FeedEvent> & { readonly accountId: string }): Promise<void>;
  /** The same of the tasks of all accounts, for an operator. */
  openAll(stream: Omit<OpenFeedStream<OperatorEvent>, 'accountId'>): Promise<void>;
  /**
   * Ends every stream, and from now on each new one once it is up to date: the client comes again
   * with what it has seen.
   */
  endAll(): void;
  readonly size: number;
}

interface AnyStream {
  readonly response: ServerResponse;
  readonly holder: StreamHolder;
}

const retryAfterMs = 5_000;

/** All event streams of this process. */
export function createEventStreams({
  slots,
  mostPerKey,
  following,
  followingAccounts,
  followingAll,
  pingMs,
  log,
  resourceAt,
}: EventStreamsOptions): EventStreams {
  const keeper = createStreamKeeper({ pingMs, log });
  const live = createLiveStreams({ following, keeper, resourceAt });
  const accounts = createFeedStreams({ following: followingAccounts, keeper });
  const all = createFeedStreams({ following: followingAll, keeper });
  let isStopping = false;
  const inSlot = async <Stream extends AnyStream>(
    stream: Stream,
    begin: (stream: Stream, onClose: () => void) => void,
  ): Promise<void> => {
    const slot = await slots.acquire(`events:${stream.holder.id}`, mostPerKey);
    if (slot === undefined) throw tooMany(stream.holder, mostPerKey);
    if (stream.response.destroyed) {
      slot.release();
      return;
    }
    begin(stream, () => {
      slot.release();
    });
    if (isStopping) stream.response.end();
  };
  return {
    async open(stream) {
      const { response, task, lastSequence } = stream;
      if (isTerminal(task.status) && lastSequence >= task.eventSequence) {
        // The one status that keeps an EventSource from coming again.
        response.writeHead(204, { 'cache-control': 'no-store', vary: 'accept' }).end();
        return;
      }
      await inSlot(stream, live.begin);
    },
    openAccount: (stream) => inSlot(stream, accounts.begin),
    openAll: (stream) => inSlot({ ...stream, accountId: undefined }, all.begin),
    endAll() {
      isStopping = true;
      keeper.endAll();
    },
    get size() {
      return keeper.size();
    },
  };
}

const tooMany = ({ name }: StreamHolder, mostPerKey: number): GatewayError =>
  new GatewayError(
    'rate_limit_exceeded',
    `this ${name} may have ${mostPerKey} event streams open at once; close one, or read the tasks instead`,
    { retryAfterMs },
  );
