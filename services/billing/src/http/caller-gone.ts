import type { RequestHandler, Response } from 'express';

/** How long the caller waits, in milliseconds from when it asked. */
const header = 'x-request-timeout-ms';
const longestMs = 600_000;

/**
 * Watches over who asked, from the first byte on: work for a caller that has closed its connection,
 * or that has waited as long as it said it would, is not begun.
 */
export const watchCaller: RequestHandler = (request, response, next) => {
  const gone = new AbortController();
  const waitsMs = Number(request.get(header));
  const timer =
    waitsMs > 0 && waitsMs <= longestMs
      ? setTimeout(() => {
          gone.abort();
        }, waitsMs)
      : undefined;
  response.once('close', () => {
    clearTimeout(timer);
    if (!response.writableFinished) gone.abort();
  });
  response.locals['callerGone'] = gone.signal;
  next();
};

/** Aborted once the caller has gone. */
export const callerGone = (response: Response): AbortSignal =>
  response.locals['callerGone'] as AbortSignal;
