import { defaultPostTimeouts, type OutboundClient } from '@gateway/outbound';
import { inSpan, type Span } from '@gateway/runtime';
import type { SendOutcome, SendRequest } from '../use-cases/attempt.ts';

export interface SenderOptions {
  readonly client: Pick<OutboundClient, 'post'>;
  /** Of a whole attempt. */
  readonly timeoutMs: number;
}

/**
 * The response may take nearly the whole attempt, and yet a missing one is told apart from one that
 * drips.
 */
const responseShare = 0.9;

/**
 * Posts through the guarded client; an attempt that a stopping process can wait for no longer is
 * cut off.
 */
export function createSender({
  client,
  timeoutMs,
}: SenderOptions): (request: SendRequest) => Promise<SendOutcome> {
  const timeouts = {
    ...defaultPostTimeouts,
    responseMs: Math.round(timeoutMs * responseShare),
    totalMs: timeoutMs,
  };
  const send = async ({
    url,
    headers,
    body,
    maxBytes,
    ending,
  }: SendRequest): Promise<SendOutcome> => {
    try {
      return await client.post({
        url,
        headers,
        body,
        timeouts,
        maxResponseBytes: maxBytes,
        signal: ending,
      });
    } catch (error) {
      if (ending.aborted) return { kind: 'interrupted' };
      throw error;
    }
  };
  // The receiver is not told of the trace: it is a stranger.
  return (request) =>
    inSpan(
      'push callback',
      {
        kind: 'client',
        attributes: {
          'http.request.method': 'POST',
          'server.address': hostOf(request.url),
          'gateway.push.sequence': Number(request.headers['x-gateway-sequence'] ?? 0),
        },
      },
      async (span) => {
        const outcome = await send(request);
        if (span !== undefined) tell(span, outcome);
        return outcome;
      },
    );
}

function tell(span: Span, outcome: SendOutcome): void {
  if (outcome.kind === 'responded') span.set({ 'http.response.status_code': outcome.status });
  const failure = {
    responded: undefined,
    failed: 'class' in outcome ? outcome.class : undefined,
    interrupted: 'interrupted',
  }[outcome.kind];
  if (failure !== undefined) span.fail(failure);
  else if (outcome.kind === 'responded' && outcome.status >= 300) span.fail(String(outcome.status));
}

/** The rest of a callback's address is the customer's own affair. */
const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).hostname : undefined;
