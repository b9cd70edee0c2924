import {
  UpstreamFailureError,
  changeResponse,
  gatherCompletion,
  passThroughMemory,
  readCompletionUsage,
  readEmbeddingsUsage,
  readUpstreamFailure,
  replayCompletion,
  replayResponse,
  responseOfStream,
  rewriteCompletionModel,
  translateCompletion,
  type CompletionMemory,
  type UpstreamFailure,
  type Usage,
} from '@gateway/text-dialects';
import { eventStreamHeaders, forwardHeaders, sendResponse } from '../client/index.ts';
import { usageOrEstimate } from '../record/index.ts';
import { identityOf, type TextRequest } from '../request/index.ts';
import {
  beginsDocument,
  mayBeEvents,
  type ResponseHead,
  type UpstreamCall,
} from '../upstream/index.ts';

/** A whole response of an upstream, to be judged and passed on. */
export interface WholeResponse {
  readonly head: ResponseHead;
  readonly body: Buffer;
  readonly call: UpstreamCall;
  /** The usage in the body, and whether it is a completion at all. */
  readonly read: ReturnType<typeof readCompletionUsage>;
}

/**
 * Throws UpstreamFailureError for a stream that nobody asked for and that reports a failure or ends
 * early.
 */
export function readWholeResponse(
  request: TextRequest,
  { head, body }: { head: ResponseHead; body: Buffer },
  call: UpstreamCall,
): WholeResponse {
  if (head.status >= 300) return { head, body, call, read: { usage: null, finished: false } };
  if (request.path.operation === 'embed') {
    return { head, body, call, read: readEmbeddingsUsage(body) };
  }
  const whole = mayBeEvents(head) && !beginsDocument(body) ? gathered(request, body, call) : body;
  return {
    head: mayBeEvents(head) ? asJson(head) : head,
    body: whole,
    call,
    read: readCompletionUsage(call.provider.kind, whole),
  };
}

/** A stream that was not asked for, or came compressed, as the whole completion it spells. */
function gathered(
  request: TextRequest,
  body: Buffer,
  { provider, rendered, includeUsage }: UpstreamCall,
): Buffer {
  if (rendered.response !== undefined) return responseOfStream(body);
  const completion = gatherCompletion({
    client: provider.kind,
    upstream: provider.kind,
    identity: identityOf(request),
    body,
    memory: passThroughMemory({
      stream: false,
      completion: { includeUsage },
      inputEstimate: rendered.memory?.inputEstimate ?? 0,
    }),
  });
  return Buffer.from(completion.body);
}

const asJson = (head: ResponseHead): ResponseHead => ({
  ...head,
  headers: { ...head.headers, 'content-type': 'application/json' },
});

/**
 * What stands in the way of passing a response on, if anything: a refusal, an error under a 2xx, or
 * something that is no completion at all.
 */
export function faultIn({
  head,
  body,
  read,
  call: { provider },
}: WholeResponse): UpstreamFailure | undefined {
  if (head.status >= 300) {
    return readUpstreamFailure({
      dialect: provider.kind,
      status: head.status,
      headers: head.headers,
      body,
    });
  }
  if (read.finished) return undefined;
  return readUpstreamFailure({ dialect: provider.kind, status: 502, headers: head.headers, body });
}

/** Passes a good whole response on, in the client's dialect and as it was asked for. */
export function forwardWholeResponse(
  request: TextRequest,
  response: WholeResponse,
  inputTokens: () => number,
): void {
  const {
    call: {
      wantsStream,
      rendered: { memory },
      clientStream,
    },
    body,
  } = response;
  const isReplayed = wantsStream || clientStream.opened;
  const usage = isReplayed
    ? replay(request, response, memory)
    : memory === null
      ? passThrough(request, response)
      : translate(request, response, memory);
  request.facts.usage = usageOrEstimate(usage, {
    complete: true,
    // Vectors are no output that anybody charges for.
    outputBytes: request.path.operation === 'embed' ? 0 : body.length,
    inputTokens,
  });
}

function passThrough(
  request: TextRequest,
  { head, body, read, call }: WholeResponse,
): Usage | null {
  const headers: string[] = [];
  forwardHeaders(head.headers, headers);
  sendResponse(request, {
    status: head.status,
    headers,
    body: passedBody(request, body, call),
  });
  return read.usage;
}

/** The upstream's completion as the client is to see it, and kept where it asked for that. */
function passedBody(
  { facts: { model }, onResponse }: TextRequest,
  body: Buffer,
  { route, rendered: { response } }: UpstreamCall,
): Buffer {
  const rewriteModel = model !== undefined && model !== route.upstreamModel ? model : null;
  if (response !== undefined) {
    return changeResponse(body, { ...response, rewriteModel, onResponse }, true);
  }
  return rewriteModel === null ? body : rewriteCompletionModel(body, rewriteModel);
}

function translate(
  request: TextRequest,
  { body, call: { provider } }: WholeResponse,
  memory: CompletionMemory,
): Usage | null {
  const translated = translateCompletion({
    client: request.path.dialect,
    upstream: provider.kind,
    memory,
    identity: identityOf(request),
    onResponse: request.onResponse,
    body,
  });
  sendResponse(request, {
    status: 200,
    headers: ['content-type', 'application/json'],
    body: translated.body,
  });
  return translated.usage;
}

/** The client wants a stream and the upstream sent a whole completion: writes it as a stream. */
function replay(
  request: TextRequest,
  response: WholeResponse,
  memory: CompletionMemory | null,
): Usage | null {
  const { clientStream } = response.call;
  const stream = streamOf(request, response, memory);
  if (!clientStream.opened) clientStream.open(200, eventStreamHeaders);
  clientStream.write(stream);
  clientStream.close();
  return response.read.usage;
}

function streamOf(
  request: TextRequest,
  { body, call }: WholeResponse,
  memory: CompletionMemory | null,
): string {
  const { provider, wantsStream, includeUsage, rendered } = call;
  if (rendered.response !== undefined) {
    return replayResponse(parseJson(passedBody(request, body, call)));
  }
  const remembered =
    memory ??
    passThroughMemory({ stream: wantsStream, completion: { includeUsage }, inputEstimate: 0 });
  return replayCompletion({
    client: request.path.dialect,
    upstream: provider.kind,
    memory: remembered,
    identity: identityOf(request),
    onResponse: request.onResponse,
    body,
  });
}

const parseJson = (body: Buffer): Record<string, unknown> =>
  JSON.parse(body.toString()) as Record<string, unknown>;

export const isUpstreamFault = (error: unknown): error is UpstreamFailureError =>
  error instanceof UpstreamFailureError;
