import type { ServerResponse } from 'node:http';
import { GatewayError } from '@gateway/domain';
import { currentContext, guarded, runAs, type Log, type LogContext } from '@gateway/runtime';

/** Who has a stream open: whose streams are counted together. */
export interface StreamHolder {
  readonly id: string;
  /** What a refusal calls it: a key, a session. */
  readonly name: string;
}

export interface StreamKeeperOptions {
  /** Silence that is filled with a comment. */
  readonly pingMs: number;
  readonly log: Pick<Log, 'info'>;
}

export interface StreamToKeep {
  readonly response: ServerResponse;
  /** Rejects once the key of the stream is no longer valid. */
  readonly stillAllowed: () => Promise<unknown>;
  readonly onClose: () => void;
}

/** A stream of events that is open. */
export interface KeptStream {
  /** Does nothing once the stream has ended. */
  write(text: string): void;
  end(): void;
  readonly hasEnded: boolean;
  /** Runs work as part of the request that the stream is the response of. */
  within(work: () => void): void;
}

export interface StreamKeeper {
  /** Responds with the head of a stream, and keeps it until it ends. */
  keep(stream: StreamToKeep): KeptStream;
  endAll(): void;
  size(): number;
}

interface Live extends KeptStream {
  readonly response: ServerResponse;
  /** Cuts off a client that does not read. */
  readonly drop: () => void;
  readonly stillAllowed: () => Promise<unknown>;
  readonly owner: LogContext | undefined;
  quietSince: number;
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
  vary: 'accept',
} as const;
const tickMs = 1_000;
/** What may wait for a client that reads slowly. */
const mostUnread = 4_194_304;

/** Keeps streams of events alive with one timer: silence is filled with a comment. */
export function createStreamKeeper({ pingMs, log }: StreamKeeperOptions): StreamKeeper {
  const open = new Set<Live>();
  let timer: NodeJS.Timeout | undefined;
  const tendAll = (): void => {
    for (const live of open) {
      runAs(live.owner, () => {
        tend(live, pingMs);
      });
    }
  };
  return {
    keep({ response, stillAllowed, onClose }) {
      const live = liveStream(response, { stillAllowed, log });
      open.add(live);
      timer ??= setInterval(tendAll, Math.min(tickMs, pingMs));
      response.once(
        'close',
        guarded(live.end, () => {
          open.delete(live);
          onClose();
          if (open.size > 0) return;
          clearInterval(timer);
          timer = undefined;
        }),
      );
      response.writeHead(200, streamHeaders);
      response.write('retry: 1000\n\n');
      return live;
    },
    endAll() {
      for (const live of open) live.end();
    },
    size: () => open.size,
  };
}

function liveStream(
  response: ServerResponse,
  { stillAllowed, log }: Pick<StreamToKeep, 'stillAllowed'> & Pick<StreamKeeperOptions, 'log'>,
): Live {
  const owner = currentContext();
  const drop = (): void => {
    if (response.destroyed) return;
    log.info('event stream cut off: its client does not read', { unread: response.writableLength });
    response.destroy();
  };
  return {
    response,
    drop,
    stillAllowed,
    owner,
    quietSince: performance.now(),
    write(text) {
      if (response.writableEnded) return;
      if (response.writableLength > mostUnread) drop();
      else response.write(text);
      this.quietSince = performance.now();
    },
    end: () => {
      response.end();
    },
    get hasEnded() {
      return response.writableEnded;
    },
    within: (work) => {
      runAs(owner, work);
    },
  };
}

/**
 * Ends a stream whose key is no longer valid, fills its silence, and cuts off a client that reads
 * nothing.
 */
function tend(live: Live, pingMs: number): void {
  // A lookup that failed says nothing about the key.
  live.stillAllowed().catch((error: unknown) => {
    if (GatewayError.is(error)) live.end();
  });
  const now = performance.now();
  if (now - live.quietSince < pingMs) return;
  live.quietSince = now;
  // The last comment has not left yet.
  if (live.response.writableLength > 0) live.drop();
  else if (!live.response.writableEnded) live.response.write(': keep-alive\n\n');
}
