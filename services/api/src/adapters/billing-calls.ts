import { setTimeout as pause } from 'node:timers/promises';
import { Pool, type Dispatcher } from 'undici';

export interface BillingCallsOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of one attempt, from its connection to its last byte. */
  readonly timeoutMs: number;
  /** Connections at once; as many as are needed when left out. */
  readonly connections?: number;
}

export type PostToBilling = (
  body: string,
  headers?: Readonly<Record<string, string>>,
) => Promise<Dispatcher.ResponseData>;

/**
 * Calls that requests wait for, hundreds a second: each takes a fifth of what it takes with the
 * client for the other routes.
 */
export function openBillingCalls({
  baseUrl,
  timeoutMs,
  connections,
  ...options
}: BillingCallsOptions): (path: string) => PostToBilling {
  const base = new URL(baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  // One signal bounds an attempt from its connection to its last byte.
  const pool = new Pool(base.origin, {
    connect: { timeout: 0 },
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(connections !== undefined && { connections }),
  });
  const usual = { 'content-type': 'application/json', ...options.headers };
  return (path) => {
    const { pathname } = new URL(path, base);
    return (body, headers) =>
      pool.request({
        method: 'POST',
        path: pathname,
        headers: headers === undefined ? usual : { ...usual, ...headers },
        body,
        signal: AbortSignal.timeout(timeoutMs),
      });
  };
}

/** Of a proxy between, or of a billing service that stops. */
const passing = new Set([502, 503, 504]);
export const isPassing = (status: number): boolean => passing.has(status);

/** What would be answered the same again. */
export class RefusedError extends Error {}

const pauseMs = 100;

/** Attempts again what failed, unless it was refused. */
export async function insist<Value>(
  retries: number,
  attempt: (number: number) => Promise<Value>,
): Promise<Value> {
  for (let number = 0; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (number === retries || error instanceof RefusedError) throw error;
    }
    await pause(pauseMs);
  }
}
