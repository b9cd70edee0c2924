import type { ServerResponse } from 'node:http';
import type { FeedEvent } from '@gateway/store';
import type { FollowAccounts } from '../use-cases/follow-accounts.ts';
import type { StreamKeeper } from './stream-keeper.ts';

export interface AccountStreamsOptions {
  readonly following: FollowAccounts;
  readonly keeper: StreamKeeper;
}

export interface OpenAccountStream {
  readonly response: ServerResponse;
  readonly keyId: string;
  readonly accountId: string;
  /** Rejects once the key of the stream is no longer valid. */
  readonly stillAllowed: () => Promise<unknown>;
  /** Events behind this position are the client's to get. */
  readonly since: number;
  /** The client has missed more than can be told: it has to read its lists again. */
  readonly isReset: boolean;
  /** What a client sends to go on from a position. */
  readonly idOf: (position: number) => string;
  /** What data an event has. */
  readonly dataOf: (event: FeedEvent) => object;
}

export interface AccountStreams {
  begin(stream: OpenAccountStream, onClose: () => void): void;
}

/**
 * An account whose tasks are quiet is told where to go on whenever this many events of others have
 * passed: with an old id it would be reset at its next reconnect.
 */
const mostSinceId = 1_000;

/** Streams of all tasks of an account. */
export function createAccountStreams({ following, keeper }: AccountStreamsOptions): AccountStreams {
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
              const data = JSON.stringify(dataOf(event));
              stream.write(`id: ${id}\nevent: ${event.status}\ndata: ${data}\n\n`);
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
