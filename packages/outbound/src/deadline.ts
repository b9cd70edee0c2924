import { once } from 'node:events';
import type { Socket } from 'node:net';
import { OutboundError, type OutboundFailure } from './outbound-error.ts';

export interface Deadline {
  /** Aborts with an OutboundError `timeout_total`, or with the caller's own reason. */
  readonly signal: AbortSignal;
  /** Must be called once the request is over. */
  clear(): void;
}

/** One bound over a whole request, from name resolution to the last byte of the body. */
export function createDeadline(totalMs: number, caller: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort(new OutboundError('timeout_total'));
  }, totalMs);
  const onAbort = (): void => {
    controller.abort(caller?.reason);
  };
  if (caller?.aborted === true) onAbort();
  // by hand: AbortSignal.any would leave one dependent signal per request on a caller's long-lived
  // signal
  caller?.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', onAbort);
    },
  };
}

export interface PhaseLimit {
  readonly timeoutMs: number;
  /** The class of the failure when the phase takes too long. */
  readonly failure: OutboundFailure;
  readonly signal: AbortSignal;
}

/**
 * Settles with `work`, or rejects when the phase takes too long or the request is over. The work
 * itself is the caller's to stop.
 */
export async function within<T>(
  work: Promise<T>,
  { timeoutMs, failure, signal }: PhaseLimit,
): Promise<T> {
  const { promise: givenUp, reject: giveUp } = deferred();
  const timer = setTimeout(() => {
    giveUp(new OutboundError(failure));
  }, timeoutMs);
  const onAbort = (): void => {
    giveUp(signal.reason as Error);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, givenUp]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** The socket once it is connected or secured; destroyed when that fails. */
export async function ready(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  limit: PhaseLimit,
): Promise<Socket> {
  // between two phases nobody else listens, and an unheard error ends the process
  socket.on('error', () => undefined);
  try {
    await within(once(socket, event), limit);
    return socket;
  } catch (thrown) {
    socket.destroy();
    throw thrown;
  }
}

function deferred(): { readonly promise: Promise<never>; readonly reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<never>((_resolve, refuse) => {
    reject = refuse;
  });
  return { promise, reject };
}
