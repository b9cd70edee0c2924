import {
  UpstreamFailureError,
  gatherAnswer,
  passThroughMemory,
  readAnswerUsage,
  readUpstreamFailure,
  replayAnswer,
  rewriteAnswerModel,
  translateAnswer,
  type AnswerMemory,
  type UpstreamFailure,
  type Usage,
} from '@gateway/text-dialects';
import { answerHeaders, eventStreamHeaders, sendWhole } from '../client/index.ts';
import { usageOrEstimate } from '../record/index.ts';
import { identityOf, type Exchange } from '../request/index.ts';
import { beginsDocument, mayBeEvents, type Head, type RouteCall } from '../upstream/index.ts';

/** A whole answer of an upstream, to be judged and passed on. */
export interface WholeAnswer {
  readonly head: Head;
  readonly body: Buffer;
  readonly call: RouteCall;
  /** What the body says of tokens, and whether it is an answer at all. */
  readonly read: ReturnType<typeof readAnswerUsage>;
}

/**
 * Throws UpstreamFailureError for a stream that nobody asked for and that tells of a failure, or
 * ends early.
 */
export function wholeAnswer(
  exchange: Exchange,
  { head, body }: { head: Head; body: Buffer },
  call: RouteCall,
): WholeAnswer {
  if (head.status >= 300) return { head, body, call, read: { usage: null, finished: false } };
  const whole = mayBeEvents(head) && !beginsDocument(body) ? gathered(exchange, body, call) : body;
  return {
    head: mayBeEvents(head) ? asJson(head) : head,
    body: whole,
    call,
    read: readAnswerUsage(call.provider.kind, whole),
  };
}

/** A stream that was not asked for, or came compressed, as the whole answer it stands for. */
function gathered(
  exchange: Exchange,
  body: Buffer,
  { provider, rendered, includeUsage }: RouteCall,
): Buffer {
  const answer = gatherAnswer({
    client: provider.kind,
    upstream: provider.kind,
    identity: identityOf(exchange),
    body,
    memory: passThroughMemory({
      stream: false,
      answer: { includeUsage },
      inputEstimate: rendered.memory?.inputEstimate ?? 0,
    }),
  });
  return Buffer.from(answer.body);
}

const asJson = (head: Head): Head => ({
  ...head,
  headers: { ...head.headers, 'content-type': 'application/json' },
});

/**
 * What stands in the way of passing a 2xx answer on, if anything: an error inside, or something
 * that is no answer at all.
 */
export function faultIn({
  head,
  body,
  read,
  call: { provider },
}: WholeAnswer): UpstreamFailure | undefined {
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

/** Passes a good whole answer on, in the client's dialect and the client's way. */
export function passOn(exchange: Exchange, answer: WholeAnswer, inputTokens: () => number): void {
  const {
    call: {
      wantsStream,
      rendered: { memory },
      downstream,
    },
    body,
  } = answer;
  const isReplayed = wantsStream || downstream.opened;
  const usage = isReplayed
    ? replay(exchange, answer, memory)
    : memory === null
      ? passThrough(exchange, answer)
      : translate(exchange, answer, memory);
  exchange.facts.usage = usageOrEstimate(usage, {
    complete: true,
    outputCharacters: body.length,
    inputTokens,
  });
}

function passThrough(
  exchange: Exchange,
  { head, body, read, call: { route } }: WholeAnswer,
): Usage | null {
  const { model } = exchange.facts;
  const headers: string[] = [];
  answerHeaders(head.headers, headers);
  sendWhole(exchange, {
    status: head.status,
    headers,
    body:
      model !== undefined && model !== route.upstreamModel ? rewriteAnswerModel(body, model) : body,
  });
  return read.usage;
}

function translate(
  exchange: Exchange,
  { body, call: { provider } }: WholeAnswer,
  memory: AnswerMemory,
): Usage | null {
  const translated = translateAnswer({
    client: exchange.path.dialect,
    upstream: provider.kind,
    memory,
    identity: identityOf(exchange),
    body,
  });
  sendWhole(exchange, {
    status: 200,
    headers: ['content-type', 'application/json'],
    body: translated.body,
  });
  return translated.usage;
}

/**
 * The upstream gave a whole answer to a request for a stream: the client is told it as a stream.
 */
function replay(
  exchange: Exchange,
  { body, read, call: { provider, downstream, wantsStream, includeUsage } }: WholeAnswer,
  memory: AnswerMemory | null,
): Usage | null {
  const remembered =
    memory ??
    passThroughMemory({ stream: wantsStream, answer: { includeUsage }, inputEstimate: 0 });
  const told = replayAnswer({
    client: exchange.path.dialect,
    upstream: provider.kind,
    memory: remembered,
    identity: identityOf(exchange),
    body,
  });
  if (!downstream.opened) downstream.open(200, eventStreamHeaders);
  downstream.write(told);
  downstream.close();
  return read.usage;
}

export const isUpstreamFault = (error: unknown): error is UpstreamFailureError =>
  error instanceof UpstreamFailureError;
