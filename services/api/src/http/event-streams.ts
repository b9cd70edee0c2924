import { GatewayError, isTerminal } from '@gateway/domain';
import type { Slots } from '@gateway/limits';
import { createLiveStreams, type LiveStreamsOptions, type OpenStream } from './live-streams.ts';

export interface EventStreamsOptions extends LiveStreamsOptions {
  readonly slots: Slots;
  /** Streams that one key may have open at once, over all replicas. */
  readonly mostPerKey: number;
}

export interface EventStreams {
  /**
   * Responds with a stream that ends after the terminal status. Throws rate_limit_exceeded when the
   * key has as many as it may have.
   */
  open(stream: OpenStream): Promise<void>;
  /**
   * Ends every stream, and from now on each new one once it is up to date: the client comes again
   * with what it has seen.
   */
  endAll(): void;
  readonly size: number;
}

const retryAfterMs = 5_000;

/** All event streams of this process. */
export function createEventStreams({
  slots,
  mostPerKey,
  ...options
}: EventStreamsOptions): EventStreams {
  const live = createLiveStreams(options);
  let isStopping = false;
  return {
    async open(stream) {
      const { response, keyId, task, lastSequence } = stream;
      if (isTerminal(task.status) && lastSequence >= task.eventSequence) {
        // The one status that keeps an EventSource from coming again.
        response.writeHead(204, { 'cache-control': 'no-store', vary: 'accept' }).end();
        return;
      }
      const slot = await slots.acquire(`events:${keyId}`, mostPerKey);
      if (slot === undefined) {
        throw new GatewayError(
          'rate_limit_exceeded',
          `this key may have ${mostPerKey} event streams open at once; close one, or read the task instead`,
          { retryAfterMs },
        );
      }
      if (response.destroyed) {
        slot.release();
        return;
      }
      live.begin(stream, () => {
        slot.release();
      });
      if (isStopping) response.end();
    },
    endAll() {
      isStopping = true;
      live.endAll();
    },
    get size() {
      return live.size();
    },
  };
}
