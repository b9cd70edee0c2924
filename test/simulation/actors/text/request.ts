import type { TextModel, UsageRecord } from '@gateway/contracts';
import { newId } from '@gateway/runtime';
import { estimateByteTokens, type Usage } from '@gateway/text-dialects';
import type { OpenCompletion } from '../../../../services/api/src/text/client/index.ts';
import { recordRequest, usageOrEstimate } from '../../../../services/api/src/text/record/index.ts';
import type { Reservation, TextRequest } from '../../../../services/api/src/text/request/index.ts';
import { callerOf } from '../caller.ts';
import type { TextReplica } from './replica.ts';

const holdOutputTokens = 500;
const mostOutputTokens = 2_000;

const model = {
  name: 'simulated-text',
  displayName: 'simulated-text',
  contextTokens: undefined,
  maxOutputTokens: mostOutputTokens,
  holdOutputTokens,
  retiresAt: undefined,
  tokenPrice: { input: 3, cachedInput: 3, cacheWrite: 3, output: 15, per: 1_000 },
  routes: [],
} satisfies TextModel;

/** By that price: whole nano-quota. */
export const costNano = (inputTokens: number, outputTokens: number): number =>
  inputTokens * 3e6 + outputTokens * 15e6;

/** What a client asks for, and how its upstream goes about it. */
export interface Wish {
  readonly number: number;
  readonly accountId: string;
  /** Tokens of the prompt as the gateway estimates them, and as the upstream counts them. */
  readonly estimate: number;
  readonly prompt: number;
  readonly maxTokens: number | undefined;
  /** Tokens that the upstream will have written when it is through. */
  readonly writes: number;
  readonly durationMs: number;
  /** The upstream says at the beginning what it read, as one dialect does. */
  readonly saysEarly: boolean;
  /** The client has lost its patience after this. */
  readonly leavesAfterMs: number;
}

export const mayWrite = ({ maxTokens }: Pick<Wish, 'maxTokens'>): number =>
  Math.min(maxTokens ?? Infinity, mostOutputTokens);

export const reservedNano = ({ estimate, maxTokens }: Wish): number =>
  costNano(estimate, Math.min(maxTokens ?? Infinity, holdOutputTokens));

export type End = 'completed' | 'left' | 'broken off' | 'refused';

/** One request that reached its upstream: what is true of it, whatever the books say. */
export interface Served {
  readonly wish: Wish;
  readonly replica: TextReplica;
  readonly request: TextRequest;
  readonly beganAt: number;
  /** Tokens that the upstream has sent. */
  sent: number;
  end: End | undefined;
  endedAt: number | undefined;
  /** The last one that it was charged to, as far as its replica knows. */
  leaseId: string;
}

export function serve(
  wish: Wish,
  replica: TextReplica,
  { reservation, now }: { readonly reservation: Reservation; readonly now: number },
): Served {
  const request = {
    facts: {
      caller: callerOf(wish.accountId),
      model: model.name,
      stream: true,
      provider: 'simulated',
      upstreamModel: 'simulated-1',
      upstreamDialect: wish.saysEarly ? 'messages' : 'chat',
      attempts: 1,
      firstByteMs: 1,
      usage: undefined,
      reservation,
      usageId: newId('usage'),
      failed: false,
    },
    requestId: requestIdOf(wish),
    incoming: { method: 'POST' },
    path: { route: '/v1/messages', dialect: 'messages' },
    response: { statusCode: 200 },
    configuration: { textModels: new Map([[model.name, model]]) },
    startedMs: performance.now(),
    startedAtMs: now,
    clientGone: false,
    onException: (_request: unknown, error: unknown) => {
      throw error;
    },
  } as unknown as TextRequest;
  return {
    wish,
    replica,
    request,
    beganAt: now,
    sent: 0,
    end: undefined,
    endedAt: undefined,
    leaseId: reservation.leaseId,
  };
}

export const requestIdOf = ({ number }: Pick<Wish, 'number'>): string => `req_text_${number}`;
export const usageIdOf = ({ request }: Served): string => request.facts.usageId ?? '';

const bytesPerToken = 4;

/** What the gateway takes so many tokens for that it saw go through. */
export const seenTokens = (sent: number): number => estimateByteTokens(sent * bytesPerToken);

const reportOf = ({ prompt }: Wish, outputTokens: number): Usage => ({
  inputTokens: prompt,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens,
  reasoningTokens: 0,
  estimated: false,
});

/** As the lane sees it while it runs. */
export const openCompletionOf = (served: Served): OpenCompletion =>
  ({
    request: served.request,
    wanted: { model, body: { estimate: () => served.wish.estimate, sizeBytes: 1 } },
    clientStream: {
      usageSoFar: () => ({
        usage: served.wish.saysEarly ? reportOf(served.wish, 1) : null,
        outputBytes: served.sent * bytesPerToken,
      }),
    },
    stream: true,
    abandon: () => undefined,
  }) as unknown as OpenCompletion;

interface Ending {
  readonly how: End;
  readonly now: number;
  readonly record: (usage: UsageRecord) => void;
}

/** Ends it as the text lane does; its record goes to `record`. */
export function end(served: Served, { how, now, record }: Ending): void {
  const { request, wish, sent } = served;
  const { facts } = request;
  served.end = how;
  served.endedAt = now;
  served.leaseId = facts.reservation?.leaseId ?? served.leaseId;
  request.clientGone = how === 'left';
  facts.failed = how === 'broken off' || how === 'refused';
  if (how === 'refused') request.response.statusCode = 502;
  else {
    facts.usage = usageOrEstimate(
      how === 'completed' ? reportOf(wish, sent) : wish.saysEarly ? reportOf(wish, 1) : null,
      {
        complete: how === 'completed',
        outputBytes: sent * bytesPerToken,
        inputTokens: () => wish.estimate,
      },
    );
  }
  recordRequest(
    { record, duration: () => undefined, logRequest: () => undefined, log: { error: fail } },
    request,
  );
}

function fail(message: string, fields?: object): never {
  throw new Error(message, { cause: fields });
}
