import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { createAjv, holdAnswerSchema, type HoldAnswer } from '@gateway/contracts';
import { GatewayError, describeError } from '@gateway/domain';
import { currentContext, inSpan, type Log, type SpanStart } from '@gateway/runtime';
import got, { type Got } from 'got';
import type { CreateVideoPorts } from '../use-cases/create-video.ts';
import type { OnBillingCall } from './billing-metrics.ts';

export interface BillingClientOptions {
  readonly baseUrl: string;
  readonly serviceToken: string;
  readonly log: Log;
  readonly onCall: OnBillingCall;
}

/** Of one attempt. A hold is idempotent by task: another attempt after a broken one is safe. */
const timeoutMs = 3_000;
const retries = 2;

const validate = createAjv().compile<HoldAnswer>(holdAnswerSchema);

export type BillingClient = Pick<CreateVideoPorts, 'takeHold' | 'releaseHold'>;

/**
 * Takes and releases holds. `takeHold` throws billing_unavailable when no answer can be had: then
 * nothing was created. `releaseHold` never throws: billing finds the hold after a while by itself.
 */
export function createBillingClient({
  baseUrl,
  serviceToken,
  log,
  onCall,
}: BillingClientOptions): BillingClient {
  const client = openClient(baseUrl, serviceToken);
  const measured = createMeasured(onCall);
  return {
    async takeHold(request) {
      try {
        const answer: unknown = await inSpan('POST /internal/holds', calling('POST'), () =>
          measured(
            'take_hold',
            client.post('internal/holds', { json: request, headers: tracing() }).json(),
          ),
        );
        if (validate(answer)) return answer;
        throw new Error('billing answered with something other than a hold answer');
      } catch (error) {
        log.error('billing cannot be reached', { reason: describeError(error) });
        throw new GatewayError(
          'billing_unavailable',
          'quota could not be reserved and nothing was created; try again',
          { retryAfterMs: 1_000, cause: error },
        );
      }
    },
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

const openClient = (baseUrl: string, serviceToken: string): Got =>
  got.extend({
    prefixUrl: baseUrl,
    agent: {
      http: new HttpAgent({ keepAlive: true, maxSockets: 64 }),
      https: new HttpsAgent({ keepAlive: true, maxSockets: 64 }),
    },
    headers: { authorization: `Bearer ${serviceToken}`, 'user-agent': 'generation-gateway-api' },
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
  async <Answer>(
    operation: Parameters<OnBillingCall>[0]['operation'],
    call: Promise<Answer>,
  ): Promise<Answer> => {
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
