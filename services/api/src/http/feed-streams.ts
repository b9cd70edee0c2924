import type { ServerResponse } from 'node:http';
import type { AnyEvent } from '@gateway/store';
import type { FollowAccounts } from '../use-cases/follow-accounts.ts';
import type { StreamHolder, StreamKeeper } from './stream-keeper.ts';

export interface FeedStreamsOptions<Event> {
  readonly following: FollowAccounts<Event>;
  readonly keeper: StreamKeeper;
}

export interface OpenFeedStream<Event> {
  readonly response: ServerResponse;
  readonly holder: StreamHolder;
  /** Undefined: of all. */
  readonly accountId: string | undefined;
  /** Rejects once the key or the session of the stream is no longer valid. */
  readonly stillAllowed: () => Promise<unknown>;
  /** Events behind this position are the client's to get. */
  readonly since: number;
  /** The client has missed more than can be told: it has to read its lists again. */
  readonly isReset: boolean;
  /** What a client sends to go on from a position. */
  readonly idOf: (position: number) => string;
  /** What data an event has, as JSON. */
  readonly dataOf: (event: Event) => string;
}

export interface FeedStreams<Event> {
  begin(stream: OpenFeedStream<Event>, onClose: () => void): void;
}

/**
 * A client whose tasks are quiet is told where to go on whenever this many events of others have
 * passed: with an old id it would be reset at its next reconnect.
 */
const mostSinceId = 1_000;

/** Streams of all tasks of an account, or of all accounts. */
export function createFeedStreams<Event extends AnyEvent>({
  following,
  keeper,
}: FeedStreamsOptions<Event>): FeedStreams<Event> {
  return {
    begin({ response, accountId, stillAllowed, since, isReset, idOf, dataOf }, onClose) {
      const stream = keeper.keep({
        response,
        stillAllowed,
        onClose: () => {
          unfollow();
          onClose();
        },
      });
      stream.write(`id: ${idOf(since)}\nevent: ${isReset ? 'reset' : 'ready'}\ndata: {}\n\n`);
      let sent = new Set<number>();
      /** The position of the last id that was written. */
      let told = since;
      const unfollow = following.follow({
        accountId,
        since,
        fellBehind: stream.end,
        take: (events, resumeAt) => {
          stream.within(() => {
            const id = idOf(resumeAt);
            sent = new Set([...sent].filter((position) => position > resumeAt));
            for (const event of events) {
              if (event.position <= resumeAt || sent.has(event.position)) continue;
              sent.add(event.position);
              stream.write(`id: ${id}\nevent: ${event.status}\ndata: ${dataOf(event)}\n\n`);
              told = resumeAt;
            }
            if (resumeAt - told >= mostSinceId) {
              stream.write(`id: ${id}\nevent: ready\ndata: {}\n\n`);
              told = resumeAt;
            }
          });
        },
      });
    },
  };
}
