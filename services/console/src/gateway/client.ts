import { ApiError, GatewayClient } from '@gateway/client';
import { watchedFetch } from './connection.ts';

/** Every call of the console; the browser's session says who is asking. */
export const gateway = new GatewayClient({
  baseUrl: window.location.origin,
  fetch: watchedFetch,
  retries: 3,
});

const refusalOf = (error: unknown): number | undefined =>
  error instanceof ApiError ? error.status : undefined;

/** Whether the browser's session is over, or was never opened. */
export const isSignedOut = (error: unknown): boolean => refusalOf(error) === 401;

/** Whether the same call would be refused again until somebody signs in anew. */
export const isRefused = (error: unknown): error is ApiError =>
  [401, 403].includes(refusalOf(error) ?? 0);
