import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createAjv, holdResponseSchema, type HoldResponse } from '@gateway/contracts';
import { GatewayError, describeError } from '@gateway/domain';
import { currentContext, inSpan, type Log, type SpanStart } from '@gateway/runtime';
import got, { HTTPError, type Got } from 'got';
import type { CreateVideoPorts } from '../use-cases/create-video.ts';
import type { OnBillingCall } from './billing-metrics.ts';
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

const validate = createAjv().compile<HoldResponse>(holdResponseSchema);

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
  const client = openClient(baseUrl, headers);
  const askForLeases = createLeaseCalls({ baseUrl, headers, timeoutMs, retries });
  const measured = createMeasured(onCall);
  return {
    async takeHold(request) {
      try {
        const response: unknown = await inSpan('POST /internal/holds', calling('POST'), () =>
          measured(
            'take_hold',
            client.post('internal/holds', { json: request, headers: tracing() }).json(),
          ),
        );
        if (validate(response)) return response;
        throw new Error('billing returned something other than a hold response');
      } catch (error) {
        throw refusalOf(error, log);
      }
    },
    settleLeases: (request) => measured('settle_leases', askForLeases(request)),
    async releaseHold(taskId) {
      try {
        const { released } = await inSpan('DELETE /internal/holds/:taskId', calling('DELETE'), () =>
          measured(
            'release_hold',
            client
              .delete(`internal/holds/${taskId}`, { headers: tracing() })
              .json<{ released?: unknown }>(),
          ),
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
  const said = error instanceof HTTPError ? saidBy(error.response.body) : undefined;
  if (said?.code === 'overloaded' && typeof said.message === 'string') {
    return new GatewayError('overloaded', said.message, { retryAfterMs: 1_000, cause: error });
  }
  log.error('billing cannot be reached', { reason: describeError(error) });
  return new GatewayError(
    'billing_unavailable',
    'quota could not be reserved and nothing was created; try again',
    { retryAfterMs: 1_000, cause: error },
  );
}

/** The error of a response of ours; got gives its body as JSON or, when it is none, as text. */
const saidBy = (body: unknown): { readonly code?: unknown; readonly message?: unknown } =>
  (body as { error?: object } | null | undefined)?.error ?? {};

const headersOf = (serviceToken: string) => ({
  authorization: `Bearer ${serviceToken}`,
  'user-agent': 'generation-gateway-api',
  // Billing begins nothing for a caller that has given up.
  'x-request-timeout-ms': String(timeoutMs),
});

const openClient = (baseUrl: string, headers: Readonly<Record<string, string>>): Got =>
  got.extend({
    prefixUrl: baseUrl,
    agent: {
      http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
      https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
    },
    headers: { ...headers },
    timeout: { request: timeoutMs },
    retry: {
      limit: retries,
      methods: ['POST', 'DELETE'],
      statusCodes: [502, 503, 504],
      calculateDelay: ({ computedValue }) => (computedValue === 0 ? 0 : 100),
    },
    followRedirect: false,
  });

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
