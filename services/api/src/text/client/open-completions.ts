import { createOpenItems, type OpenItems, type Placed } from '@gateway/runtime';
import type { UpstreamFailure } from '@gateway/text-dialects';
import type { CompletionRequest } from '../arrive/index.ts';
import type { TextRequest } from '../request/index.ts';
import type { ClientStream } from './client-stream.ts';

/** One completion on its way to its client. */
export interface OpenCompletion extends Placed {
  readonly request: TextRequest;
  readonly wanted: CompletionRequest;
  readonly clientStream: ClientStream;
  /** Only streams can be kept alive. */
  readonly stream: boolean;
  /** Called about once a second, to end a call whose upstream has fallen silent. */
  tick?(): void;
  /** Abandons the call of the upstream; `clientStream.fail` tells the client. */
  abandon(reason: string): void;
}

export interface OpenCompletions {
  add(completion: OpenCompletion): void;
  remove(completion: OpenCompletion): void;
  size(): number;
  start(): void;
  stop(): void;
  /** Ends every completion and tells its client why. */
  endAll(): void;
}

/** Another replica serves the client that sends its request again. */
const stopping: UpstreamFailure = {
  status: 503,
  code: 'overloaded',
  message: 'the gateway is restarting; send the request again',
};
const tickMs = 1_000;
/** A client that takes nothing for this long is gone. */
const longestBlockedMs = 300_000;

/**
 * All completions under way, on one timer: a timer for each stream would cost more than the bytes of
 * the streams.
 */
export function createOpenCompletions({
  pingAfterMs,
  afterTick,
}: {
  pingAfterMs: number;
  afterTick: (open: Pick<OpenItems<OpenCompletion>, 'all' | 'has'>) => void;
}): OpenCompletions {
  const open = createOpenItems<OpenCompletion>();
  let timer: NodeJS.Timeout | undefined;
  const tickOne = (completion: OpenCompletion): void => {
    if (completion.stream) completion.clientStream.keepAlive(pingAfterMs);
    if (completion.clientStream.blockedMs() > longestBlockedMs) {
      completion.abandon('the client takes nothing');
    }
    completion.tick?.();
  };
  const endOne = (completion: OpenCompletion): void => {
    if (completion.stream) completion.clientStream.fail(stopping);
    completion.abandon('the gateway stops');
  };
  /** What one of them throws is its own failure, and the next has its turn. */
  const each = (work: (completion: OpenCompletion) => void): void => {
    for (const completion of open.all()) {
      try {
        work(completion);
      } catch (error) {
        completion.request.onException(completion.request, error);
      }
    }
  };
  const tick = (): void => {
    each(tickOne);
    afterTick(open);
  };
  return {
    add: open.add,
    remove: open.remove,
    size: () => open.size,
    start() {
      timer = setInterval(tick, Math.min(tickMs, pingAfterMs / 3));
    },
    stop() {
      clearInterval(timer);
    },
    endAll() {
      each(endOne);
    },
  };
}
