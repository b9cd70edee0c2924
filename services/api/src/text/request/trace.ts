import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Configuration, TextProvider, TextRoute, UsageRecord } from '@gateway/contracts';
import { endServerSpan, type Span, type Tracing } from '@gateway/runtime';
import type { Facts } from './facts.ts';
import type { TextOperation } from '../../bodies/index.ts';
import type { TextPath } from './text-path.ts';

export interface TextTracing {
  readonly tracing: Tracing;
  readonly sendTraceparent: boolean;
  /** Whether a client's `traceparent` is continued; else it is only linked to. */
  readonly trustsTraceparent: boolean;
}

/**
 * The trace of one text request, from its arrival to its last byte: the request, the model call,
 * and each upstream's call under it.
 */
export interface TextTrace {
  readonly server: Span;
  readonly sendsTraceparent: boolean;
  /** For the upstream that is being called. */
  traceparent(): string;
  /** The model is known, and the caller may use it. */
  begin(model: string, operation: TextOperation): void;
  beginAttempt(call: AttemptedCall, attempt: number): void;
  /** With the status of the upstream's response and the type of the error, where there is one. */
  endAttempt(status: number | undefined, errorType: string | undefined): void;
  close(ended: EndedRequest, usage: UsageRecord | undefined): void;
}

/** What a span says of an upstream's call. */
interface AttemptedCall {
  readonly route: Pick<TextRoute, 'upstreamModel'>;
  readonly provider: TextProvider;
  readonly wantsStream: boolean;
}

/** What the spans say of a request that is over. */
interface EndedRequest {
  readonly facts: Facts;
  readonly path: TextPath;
  readonly response: Pick<ServerResponse, 'statusCode'>;
  readonly configuration: Pick<Configuration, 'textProviders'>;
  readonly clientGone: boolean;
}

/** As the semantic conventions for generative AI call them. */
const operationNames: Readonly<Record<TextOperation, string>> = {
  create: 'chat',
  count_tokens: 'count_tokens',
  embed: 'embeddings',
  unknown: 'chat',
};

export function openTrace(
  { tracing, sendTraceparent, trustsTraceparent }: TextTracing,
  { incoming, requestId }: { readonly incoming: IncomingMessage; readonly requestId: string },
): TextTrace {
  const method = incoming.method ?? '';
  const server = tracing.start(method, {
    kind: 'server',
    [trustsTraceparent ? 'parent' : 'link']: headerOf(incoming),
    attributes: { 'http.incoming.method': method, 'gateway.request_id': requestId },
  });
  let what = 'chat';
  let chat: Span | undefined;
  let attempt: Span | undefined;
  return {
    server,
    sendsTraceparent: sendTraceparent,
    traceparent: () => (attempt ?? chat ?? server).traceparent,
    begin(model, operation) {
      what = operationNames[operation];
      if (operation === 'count_tokens') return;
      chat = server.child(`${what} ${model}`, {
        attributes: { 'gen_ai.operation.name': what, 'gen_ai.request.model': model },
      });
    },
    beginAttempt({ route, provider, wantsStream }, number) {
      attempt = (chat ?? server).child(`${what} ${route.upstreamModel}`, {
        kind: 'client',
        attributes: {
          'gen_ai.operation.name': what,
          'gen_ai.provider.name': providerNameOf(provider),
          'gen_ai.request.model': route.upstreamModel,
          'gen_ai.request.stream': wantsStream,
          'server.address': new URL(provider.baseUrl).hostname,
          'gateway.provider': provider.name,
          'gateway.attempt': number,
        },
      });
    },
    endAttempt(status, errorType) {
      if (attempt === undefined) return;
      if (status !== undefined) attempt.set({ 'http.response.status_code': status });
      if (errorType !== undefined) attempt.fail(errorType);
      attempt.end();
      attempt = undefined;
    },
    close(ended, usage) {
      const { facts, path, response, clientGone } = ended;
      attempt?.end();
      if (chat !== undefined) endChat(chat, ended, usage);
      server.set({ 'gateway.complete': !clientGone && !facts.failed });
      endServerSpan(server, { method, route: path.route, status: response.statusCode });
    },
  };
}

function endChat(
  chat: Span,
  { facts, clientGone, configuration }: EndedRequest,
  usage: UsageRecord | undefined,
): void {
  const provider = configuration.textProviders.get(facts.provider ?? '');
  chat.set({
    'gen_ai.provider.name': provider && providerNameOf(provider),
    'gen_ai.request.stream': facts.stream,
    'gateway.attempts': facts.attempts,
    ...(usage !== undefined && {
      'gen_ai.usage.input_tokens': usage.input_tokens,
      'gen_ai.usage.output_tokens': usage.output_tokens,
      'gateway.usage.estimated': usage.estimated,
      'gen_ai.response.time_to_first_chunk':
        facts.firstByteMs === undefined ? undefined : facts.firstByteMs / 1_000,
    }),
  });
  if (clientGone) chat.fail('client_left');
  else if (facts.failed) chat.fail(facts.error ?? 'upstream_error');
  chat.end();
}

function headerOf({ headers: { traceparent } }: IncomingMessage): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined;
}

/**
 * The names that the conventions give to those whom we call otherwise. A vendor that nobody knows
 * goes by the operator's name.
 */
const conventional: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  kimi: 'moonshot_ai',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
};
const providerNameOf = ({ vendor, name }: TextProvider): string =>
  conventional[vendor] ?? (vendor === 'generic' ? name : vendor);
