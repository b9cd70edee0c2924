import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { HoldRequest, HoldResponse } from '@gateway/contracts';
import { GatewayError, describeError } from '@gateway/domain';
import {
  currentContext,
  inSpan,
  readTraceparent,
  type Log,
  type SpanStart,
} from '@gateway/runtime';
import type { Got } from 'got';
import type { CreateVideoPorts } from '../use-cases/create-video.ts';
import { insist, type BillingCallsOptions } from './billing-calls.ts';
import type { OnBillingCall } from './billing-metrics.ts';
import { createHoldBatches } from './hold-batches.ts';
import { createHoldCalls, OverloadedError, type HoldAsk } from './hold-calls.ts';
import { createLeaseCalls, type AskForLeases } from './lease-calls.ts';

export interface BillingClientOptions {
  readonly baseUrl: string;
  readonly serviceToken: string;
  readonly log: Log;
  readonly onCall: OnBillingCall;
}

/** Of one attempt. A hold is idempotent by task: another attempt after a broken one is safe. */
const timeoutMs = 3_000;
const retries = 2;
const connections = 64;
/** About what a hold takes: a commit. */
const slowAfterMs = 5;

export interface BillingClient extends Pick<CreateVideoPorts, 'takeHold' | 'releaseHold'> {
  readonly settleLeases: AskForLeases;
}

/**
 * Takes and releases holds. `takeHold` throws billing_unavailable when no response can be had: then
 * nothing was created. `releaseHold` never throws: billing finds the hold after a while by itself.
 */
export function createBillingClient({
  baseUrl,
  serviceToken,
  log,
  onCall,
}: BillingClientOptions): BillingClient {
  const headers = headersOf(serviceToken);
  let client: Promise<Got> | undefined;
  const hot = { baseUrl, headers, timeoutMs };
  const askForHold = createHoldAsks({ ...hot, connections });
  const askForLeases = createLeaseCalls({ ...hot, retries });
  const measured = createMeasured(onCall);
  const release = async (taskId: string): Promise<{ released?: unknown }> => {
    client ??= openClient(baseUrl, headers);
    return (await client).delete(`internal/holds/${taskId}`, { headers: tracing() }).json();
  };
  return {
    async takeHold(request) {
      try {
        return await inSpan('POST /internal/holds', calling('POST'), () =>
          measured('take_hold', askForHold(request)),
        );
      } catch (error) {
        throw refusalOf(error, log);
      }
    },
    settleLeases: (request) => measured('settle_leases', askForLeases(request)),
    async releaseHold(taskId) {
      try {
        const { released } = await inSpan('DELETE /internal/holds/:taskId', calling('DELETE'), () =>
          measured('release_hold', release(taskId)),
        );
        return released === true;
      } catch (error) {
        log.warn('hold of a refused task not released, left to billing', {
          taskId,
          reason: describeError(error),
        });
        return false;
      }
    },
  };
}

/** What billing itself refuses because too much waits is passed on in its words. */
function refusalOf(error: unknown, log: Log): GatewayError {
  if (error instanceof OverloadedError) {
    return new GatewayError('overloaded', error.message, { retryAfterMs: 1_000, cause: error });
  }
  log.error('billing cannot be reached', { reason: describeError(error) });
  return new GatewayError(
    'billing_unavailable',
    'quota could not be reserved and nothing was created; try again',
    { retryAfterMs: 1_000, cause: error },
  );
}

/**
 * At first with others. What broke off is asked alone, lest one that is at fault fails the others
 * again; and so is a hold whose trace is to show billing's part.
 */
function createHoldAsks(
  options: BillingCallsOptions,
): (request: HoldRequest) => Promise<HoldResponse> {
  const calls = createHoldCalls(options);
  const askWithOthers = createHoldBatches({ ...calls, now: () => performance.now(), slowAfterMs });
  return (request) => {
    const ask: HoldAsk = { request, headers: tracing() };
    const goesAlone = readTraceparent(ask.headers['traceparent'])?.isSampled === true;
    return insist(retries, (attempt) =>
      attempt > 0 || goesAlone ? calls.askAlone(ask) : askWithOthers(ask),
    );
  };
}

const headersOf = (serviceToken: string) => ({
  authorization: `Bearer ${serviceToken}`,
  'user-agent': 'generation-gateway-api',
  // Billing begins nothing for a caller that has given up.
  'x-request-timeout-ms': String(timeoutMs),
});

/** Loaded when a hold is given back, which is seldom. */
async function openClient(
  baseUrl: string,
  headers: Readonly<Record<string, string>>,
): Promise<Got> {
  const { default: got } = await import('got');
  return got.extend({
    prefixUrl: baseUrl,
    agent: {
      http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
      https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
    },
    headers: { ...headers },
    timeout: { request: timeoutMs },
    retry: {
      limit: retries,
      methods: ['DELETE'],
      statusCodes: [502, 503, 504],
      calculateDelay: ({ computedValue }) => (computedValue === 0 ? 0 : 100),
    },
    followRedirect: false,
  });
}

const createMeasured =
  (onCall: OnBillingCall) =>
  async <Value>(
    operation: Parameters<OnBillingCall>[0]['operation'],
    call: Promise<Value>,
  ): Promise<Value> => {
    const startedMs = performance.now();
    const ended = (outcome: 'answered' | 'unavailable') => (): void => {
      onCall({ operation, outcome, seconds: (performance.now() - startedMs) / 1000 });
    };
    void call.then(ended('answered'), ended('unavailable'));
    return call;
  };

const calling = (method: string): SpanStart => ({
  kind: 'client',
  attributes: { 'http.request.method': method, 'peer.service': 'billing' },
});

function tracing(): Record<string, string> {
  const { requestId, span } = currentContext() ?? {};
  return {
    ...(requestId !== undefined && { 'x-request-id': requestId }),
    ...(span !== undefined && { traceparent: span.traceparent }),
  };
}
