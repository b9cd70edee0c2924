import { newId } from '@gateway/runtime';
import type { TextModel, UsageRecord } from '@gateway/contracts';
import type { Usage } from '@gateway/text-dialects';
import { recordRequest, usageOrEstimate } from '../../../services/api/src/text/record/index.ts';
import { openRecordOf } from '../../../services/api/src/text/record/usage-record.ts';
import type { Reservation, TextRequest } from '../../../services/api/src/text/request/index.ts';

const model = {
  name: 'm',
  displayName: 'm',
  contextTokens: undefined,
  maxOutputTokens: 2_000,
  holdOutputTokens: 500,
  retiresAt: undefined,
  tokenPrice: { input: 3, cachedInput: 3, cacheWrite: 3, output: 15, per: 1_000 },
  routes: [],
} satisfies TextModel;

/** What a client asks for, and how its upstream goes about it. */
export interface Wish {
  /** Tokens of the prompt as the gateway estimates them, and as the upstream counts them. */
  readonly estimate: number;
  readonly prompt: number;
  readonly maxTokens: number | undefined;
  /** UTF-8 bytes of each token that the upstream writes. */
  readonly bytesPerToken: number;
  /** The upstream says at the beginning what it read, as one dialect does. */
  readonly saysEarly: boolean;
}

/** One request that reached its upstream: what is true of it, whatever the gateway makes of it. */
export interface Served {
  readonly accountId: string;
  readonly wish: Wish;
  readonly reservedNano: number;
  readonly request: TextRequest;
  /** The lease that it is charged to. */
  leaseId: () => string;
  /** Tokens that the upstream has sent. */
  sent: number;
  state: 'running' | 'completed' | 'hung up' | 'killed';
  /** Tokens sent when it was last written down while it ran. */
  openAt: number | undefined;
  /** Its final record reached the outbox. */
  saved: boolean;
  /** Billing gave its lease away while it ran: what it costs was reserved no more. */
  outlived: boolean;
  /** Its replica fell silent while it was written down as open: what it said later does not count. */
  cutOff: boolean;
}

const inputNano = 3e6;
const outputNano = 15e6;

/** By the price in the docs: whole nano-quota. */
export const costNano = (input: number, output: number): number =>
  input * inputNano + output * outputNano;

export const mayWrite = ({ maxTokens }: Wish): number => Math.min(maxTokens ?? Infinity, 2_000);

export const reservedFor = ({ estimate, maxTokens }: Wish): number =>
  costNano(estimate, Math.min(maxTokens ?? Infinity, 500));

export function serve(accountId: string, wish: Wish, reservation: Reservation): Served {
  const request = {
    facts: {
      caller: { accountId, keyId: 'key_01h455vb4pex5vsknk084sn02q' },
      model: model.name,
      stream: true,
      provider: 'p',
      upstreamModel: 'u',
      upstreamDialect: wish.saysEarly ? 'messages' : 'chat',
      attempts: 1,
      firstByteMs: 1,
      usage: undefined,
      reservation,
      usageId: newId('usage'),
      failed: false,
    },
    requestId: 'req_test',
    incoming: { method: 'POST' },
    path: { route: '/v1/messages', dialect: 'messages' },
    response: { statusCode: 200 },
    configuration: { textModels: new Map([[model.name, model]]) },
    startedMs: performance.now(),
    startedAtMs: Date.now(),
    clientGone: false,
  } as unknown as TextRequest;
  return {
    accountId,
    wish,
    reservedNano: reservedFor(wish),
    request,
    leaseId: () => reservation.leaseId,
    sent: 0,
    state: 'running',
    openAt: undefined,
    saved: false,
    outlived: false,
    cutOff: false,
  };
}

export const idOf = ({ request }: Served): string => request.facts.usageId ?? '';

const reportOf = ({ wish, sent }: Served, outputTokens = sent): Usage => ({
  inputTokens: wish.prompt,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
  reasoningTokens: 0,
  estimated: false,
});

const seenOf = (served: Served): Usage =>
  usageOrEstimate(served.wish.saysEarly ? reportOf(served, 1) : null, {
    complete: false,
    outputBytes: Math.ceil(served.sent * served.wish.bytesPerToken),
    inputTokens: () => served.wish.estimate,
  });

/** The record as it would be if its replica ended now. */
export const openRecord = (served: Served): UsageRecord | undefined =>
  openRecordOf(served.request, model, seenOf(served));

/** Ends it as the text lane does; its record goes to `record`. */
export function end(
  served: Served,
  how: 'completed' | 'hung up',
  record: (usage: UsageRecord) => void,
): void {
  const leaseId = served.leaseId();
  served.leaseId = () => leaseId;
  served.state = how;
  served.request.clientGone = how === 'hung up';
  served.request.facts.usage = how === 'completed' ? reportOf(served) : seenOf(served);
  recordRequest(
    {
      record,
      duration: () => undefined,
      logRequest: () => undefined,
      log: {
        error: (_message, fields) => {
          throw new Error('a request could not be recorded', { cause: fields });
        },
      },
    },
    served.request,
  );
}
