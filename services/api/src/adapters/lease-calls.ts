import { setTimeout as pause } from 'node:timers/promises';
import {
  createAjv,
  leaseResponseSchema,
  type LeaseRequest,
  type LeaseResponse,
} from '@gateway/contracts';
import { Pool } from 'undici';

/** Asks billing for leases; rejects when no response can be had. Asking again is safe. */
export type AskForLeases = (request: LeaseRequest) => Promise<LeaseResponse>;

export interface LeaseCallsOptions {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of one attempt. */
  readonly timeoutMs: number;
  readonly retries: number;
}

/** Of a proxy between, or of a billing service that stops. */
const passing = new Set([502, 503, 504]);
const pauseMs = 100;

const validate = createAjv().compile<LeaseResponse>(leaseResponseSchema);

/**
 * Calls for which text requests wait: hundreds a second where many accounts are served, each at a
 * fifth of what the client for the other routes takes.
 */
export function createLeaseCalls(options: LeaseCallsOptions): AskForLeases {
  const { baseUrl, timeoutMs, retries } = options;
  const url = new URL('internal/leases', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`);
  // One signal bounds an attempt from its connection to its last byte.
  const pool = new Pool(url.origin, { connect: { timeout: 0 }, headersTimeout: 0, bodyTimeout: 0 });
  const headers = { 'content-type': 'application/json', ...options.headers };
  const askOnce = async (body: string): Promise<LeaseResponse | undefined> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const sent = { method: 'POST', path: url.pathname, headers, body, signal } as const;
    const response = await pool.request(sent);
    if (response.statusCode !== 200) {
      await response.body.dump();
      if (passing.has(response.statusCode)) return undefined;
      throw new RefusedError(`billing answered ${response.statusCode}`);
    }
    const leases = await response.body.json();
    if (validate(leases)) return leases;
    throw new RefusedError('billing returned something other than leases');
  };
  return async (request) => {
    const body = JSON.stringify(request);
    for (let attempt = 0; ; attempt += 1) {
      try {
        const response = await askOnce(body);
        if (response !== undefined) return response;
        if (attempt === retries) throw new RefusedError('billing is not available');
      } catch (error) {
        if (attempt === retries || error instanceof RefusedError) throw error;
      }
      await pause(pauseMs);
    }
  };
}

/** What would be answered the same again. */
class RefusedError extends Error {}
