import { once } from 'node:events';
import { setImmediate as yieldTurn, setTimeout as pause } from 'node:timers/promises';
import type { Response } from 'express';

/** One event of a stream, ready to be sent. */
export interface StreamStep {
  readonly wire: string;
  /** Tokens that this event carries; they set the pace. */
  readonly tokens: number;
}

/** What happens in the middle of a stream instead of its next event. */
export interface StreamTurn {
  readonly turn: 'end' | 'cut' | 'stall';
}

export interface StreamOptions {
  /** 0: as fast as possible. */
  readonly tokensPerSecond: number;
  /** Sent in every half second in which nothing else was. */
  readonly ping?: string;
  /** Aborted when the client has gone: nothing more is made or sent. */
  readonly signal: AbortSignal;
}

const pingEveryMs = 500;

/** Without a pace, other work gets its turn after so many events. */
const stepsInOneTurn = 32;

/**
 * Waits until so many tokens are due, counted from `startMs`; at full speed it only lets others
 * have their turn.
 */
export async function waitForTokens(
  tokens: number,
  {
    startMs,
    tokensPerSecond,
    signal,
  }: { startMs: number; tokensPerSecond: number; signal: AbortSignal },
): Promise<void> {
  const waitMs =
    tokensPerSecond === 0 ? 0 : startMs + (tokens * 1_000) / tokensPerSecond - performance.now();
  if (waitMs >= 1) await pause(waitMs, undefined, { signal });
  else signal.throwIfAborted();
}

/** Sends a stream of events at a pace; rejects with an AbortError when the client goes away. */
export async function sendStream(
  response: Response,
  steps: Iterable<StreamStep | StreamTurn>,
  options: StreamOptions,
): Promise<void> {
  const { signal } = options;
  const startMs = performance.now();
  const pace = { ...options, startMs };
  let tokens = 0;
  let sent = 0;
  for (const step of steps) {
    if ('turn' in step) {
      await turns[step.turn](response, signal);
      return;
    }
    tokens += step.tokens;
    if (step.tokens > 0) await waitForTokens(tokens, pace);
    sent += 1;
    if (sent % stepsInOneTurn === 0) await yieldTurn(undefined, { signal });
    // the client reads slower than the model writes
    if (!response.write(step.wire)) await once(response, 'drain', { signal });
  }
  response.end();
}

const turns: Readonly<
  Record<StreamTurn['turn'], (response: Response, signal: AbortSignal) => void | Promise<void>>
> = {
  end: (response) => {
    response.end();
  },
  cut: async (response) => {
    await yieldTurn(); // lets what was written reach the socket
    cutConnection(response);
  },
  stall: (_response, signal) => untilAborted(signal),
};

/** Closes the connection of a response as a fault of the vendor. */
export function cutConnection(response: Response): void {
  response.locals['broken'] = true;
  response.socket?.destroy();
}

/** Waits for the client to go away. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
  signal.throwIfAborted();
}

/**
 * Begins a stream: the headers leave at once. With `ping`, it fills every silence until the completion
 * is over.
 */
export function beginStream(response: Response, ping: string | undefined): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  if (ping === undefined) return;
  let writtenAtStart = response.socket?.bytesWritten;
  const timer = setInterval(() => {
    if (response.socket?.bytesWritten === writtenAtStart && !response.writableEnded) {
      response.write(ping);
    }
    writtenAtStart = response.socket?.bytesWritten;
  }, pingEveryMs);
  response.once('close', () => {
    clearInterval(timer);
  });
}
