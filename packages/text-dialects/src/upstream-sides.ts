import { chatQuirksOf } from './chat/choose-quirks.ts';
import { writeChatRequest } from './chat/write-request.ts';
import { messagesQuirksOf } from './messages/choose-quirks.ts';
import { writeMessagesRequest } from './messages/write-request.ts';
import type { Dialect, TextRequest } from './neutral.ts';
import type { UpstreamTarget, WrittenRequest } from './request-translation.ts';
import { passResponsesRequest, type PassingRequest } from './responses/pass-request.ts';
import { responsesQuirksOf } from './responses/quirks.ts';
import { writeResponsesRequest } from './responses/write-request.ts';

/** An upstream as the configuration describes it. */
export interface Upstream {
  readonly dialect: Dialect;
  readonly vendor: string;
  /** The upstream's own name of the model. */
  readonly model: string;
  readonly maxOutputTokens?: number;
  /** Responses: the operator lets the vendor keep responses, as clients ask. */
  readonly storesResponses?: boolean;
  /** The operator's word on what the vendor's preset gets wrong. */
  readonly overrides: Readonly<Record<string, unknown>>;
}

/**
 * A function of an upstream that is worked out once for each description of one: model families are
 * a dozen regular expressions.
 */
function oncePerUpstream<Value>(
  work: (upstream: Upstream) => Value,
): (upstream: Upstream) => Value {
  const known = new WeakMap<Upstream, { readonly value: Value }>();
  return (upstream) => {
    const found = known.get(upstream);
    if (found !== undefined) return found.value;
    const value = work(upstream);
    known.set(upstream, { value });
    return value;
  };
}

/**
 * `chatQuirksOf` for whoever keeps the description of an upstream and asks again for each request.
 */
export const chatQuirksFor = oncePerUpstream(chatQuirksOf);
const messagesQuirksFor = oncePerUpstream(messagesQuirksOf);
const responsesQuirksFor = oncePerUpstream(responsesQuirksOf);

type WriteRequest = (
  request: TextRequest,
  target: Omit<UpstreamTarget<never>, 'quirks'>,
  upstream: Upstream,
) => WrittenRequest;

/** How a request is written for an upstream of each dialect. */
export const requestWriters: Readonly<Record<Dialect, WriteRequest>> = {
  messages: (request, target, upstream) =>
    writeMessagesRequest(request, { ...target, quirks: messagesQuirksFor(upstream) }),
  chat: (request, target, upstream) =>
    writeChatRequest(request, { ...target, quirks: chatQuirksFor(upstream) }),
  responses: (request, target, upstream) =>
    writeResponsesRequest(request, { ...target, quirks: responsesQuirksFor(upstream) }),
};

/** A request of the responses format for an upstream of the same; see `passResponsesRequest`. */
export const passToResponses = (
  passing: Pick<PassingRequest, 'bytes' | 'body' | 'isExpanded' | 'keepsResponses'>,
  upstream: Upstream,
): ReturnType<typeof passResponsesRequest> =>
  passResponsesRequest({
    ...passing,
    model: upstream.model,
    quirks: responsesQuirksFor(upstream),
    storesResponses: upstream.storesResponses === true,
  });
