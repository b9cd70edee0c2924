import { createOpenItems, type OpenItems, type Placed } from '@gateway/runtime';
import type { UpstreamFailure } from '@gateway/text-dialects';
import type { AnswerTask } from '../arrive/index.ts';
import type { Exchange } from '../request/index.ts';
import type { Downstream } from './client-stream.ts';

/** One answer on its way to a client. */
export interface OpenAnswer extends Placed {
  readonly exchange: Exchange;
  readonly task: AnswerTask;
  readonly downstream: Downstream;
  /** Only streams can be kept alive. */
  readonly stream: boolean;
  /** Looks after silence on the upstream's side; called about once a second. */
  tick?(): void;
  /** Gives the upstream up; the client is told by `downstream.fail`. */
  abandon(reason: string): void;
}

export interface OpenAnswers {
  add(answer: OpenAnswer): void;
  remove(answer: OpenAnswer): void;
  size(): number;
  start(): void;
  stop(): void;
  /** Tells every client that its answer ends here, and why. */
  endAll(): void;
}

/** The client is told to come again: another replica answers. */
const stopping: UpstreamFailure = {
  status: 503,
  code: 'overloaded',
  message: 'the gateway is restarting; send the request again',
};
const tickMs = 1_000;
/** A client that takes nothing for so long is gone. */
const longestStuckMs = 300_000;

/**
 * All answers under way. One timer for all of them: a timer a stream would cost more than the
 * streams' bytes.
 */
export function createOpenAnswers({
  pingAfterMs,
  afterTick,
}: {
  pingAfterMs: number;
  afterTick: (open: Pick<OpenItems<OpenAnswer>, 'all' | 'has'>) => void;
}): OpenAnswers {
  const open = createOpenItems<OpenAnswer>();
  let timer: NodeJS.Timeout | undefined;
  const tick = (): void => {
    for (const answer of open.all()) {
      if (answer.stream) answer.downstream.keepAlive(pingAfterMs);
      if (answer.downstream.stuckMs() > longestStuckMs) answer.abandon('the client takes nothing');
      answer.tick?.();
    }
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
      for (const answer of open.all()) {
        if (answer.stream) answer.downstream.fail(stopping);
        answer.abandon('the gateway stops');
      }
    },
  };
}
