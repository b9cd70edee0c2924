import {
  isListed,
  pricesFor,
  type RestrictedPart,
  type TextModel,
  type TextProvider,
  type TextRoute,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Upstream } from '@gateway/text-dialects';
import type { CompletionRequest, Preparation, RenderCommand, Rendered } from '../arrive/index.ts';
import type { ClientStream } from '../client/index.ts';
import type { TextRequest } from '../request/index.ts';
import {
  carriedParts,
  checkRestrictedParts,
  type MediaRule,
  type UpstreamCall,
} from '../upstream/index.ts';

export interface ComposePorts {
  readonly preparation: Preparation;
  readonly media: MediaRule;
}

/** One route for one request, and where its stream would go. */
interface Composition {
  readonly wanted: CompletionRequest;
  readonly route: TextRoute;
  readonly provider: TextProvider;
  readonly clientStream: ClientStream;
}

/**
 * Renders the request for one route; at once, unless another thread does it or addresses of media
 * are to be looked up. Throws, or rejects with, the refusal of a request that this upstream's
 * dialect cannot express or its provider does not forward.
 */
export function composeCall(
  { preparation, media }: ComposePorts,
  request: TextRequest,
  composition: Composition,
): UpstreamCall | Promise<UpstreamCall> {
  const { wanted, route, provider, clientStream } = composition;
  const { model, body, wantsStream, includeUsage, isExpanded, keepsResponses } = wanted;
  const { incoming, path } = request;
  const isSameDialect = provider.kind === path.dialect;
  if (path.operation === 'embed' && !isSameDialect) throw noEmbeddings(model.name);
  const allowance = { forward: provider.forward, price: model.tokenPrice };
  if (isSameDialect) checkRestrictedParts(wanted.restricted, allowance);
  const carried = carriedParts(incoming, provider, isSameDialect);
  const upstream = upstreamOf(model, route, provider);
  const command: RenderCommand = {
    kind: 'render',
    dialect: path.dialect,
    upstream,
    // What is charged by the token must be counted by the upstream; a chat stream says it only when
    // asked.
    addUsage:
      provider.kind === 'chat' && wantsStream && !includeUsage && model.tokenPrice !== undefined,
    isExpanded,
    keepsResponses,
  };
  const callWith = (rendered: Rendered): UpstreamCall => {
    const restricted = isSameDialect
      ? wanted.restricted
      : translatedParts(wanted.restricted, rendered);
    if (!isSameDialect) checkRestrictedParts(restricted, allowance);
    return {
      route,
      provider,
      upstream,
      wantsStream,
      includeUsage,
      clientStream,
      rendered,
      carried,
      priced: pricesFor(restricted, model.tokenPrice),
    };
  };
  if (provider.fetchesMedia === 'private' && wanted.media !== undefined) {
    return media
      .check(wanted.media)
      .then(async () => callWith(await preparation.render(body, command)));
  }
  const rendered = preparation.render(body, command);
  return rendered instanceof Promise ? rendered.then(callWith) : callWith(rendered);
}

const noEmbeddings = (model: string): GatewayError =>
  new GatewayError(
    'invalid_parameter',
    `no upstream of the model ${model} makes embeddings; name a model that is served in the chat-completions format`,
    { param: 'model' },
  );

/** Of what costs extra, only the speed has a word in the other dialect, and only for some vendors. */
const translatedParts = (
  parts: readonly RestrictedPart[] | undefined,
  { dropped }: Rendered,
): readonly RestrictedPart[] | undefined =>
  parts?.filter(({ name }) => name === 'speed' && !dropped.includes('speed'));

/**
 * A route belongs to one model and names one provider, so its upstream is described once.
 */
const upstreams = new WeakMap<TextRoute, Upstream>();

function upstreamOf(
  { maxOutputTokens }: TextModel,
  route: TextRoute,
  provider: TextProvider,
): Upstream {
  const known = upstreams.get(route);
  if (known !== undefined) return known;
  const upstream: Upstream = {
    dialect: provider.kind,
    vendor: provider.vendor,
    model: route.upstreamModel,
    overrides: { ...provider.quirks, ...route.quirks },
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(provider.kind === 'responses' && {
      storesResponses: isListed(provider.forward.fields, 'store'),
    }),
  };
  upstreams.set(route, upstream);
  return upstream;
}

/** Notes in the response's headers and in the record which upstream is called. */
export function noteAttempt(
  { facts, headers, response }: TextRequest,
  { route, provider, rendered, carried, priced }: UpstreamCall,
): void {
  facts.attempts += 1;
  facts.provider = provider.name;
  facts.upstreamModel = route.upstreamModel;
  facts.upstreamDialect = provider.kind;
  facts.priced = priced;
  if (response.headersSent) return;
  setHeader(headers, 'x-gateway-route', route.name);
  setHeader(headers, 'x-gateway-attempts', String(facts.attempts));
  setHeader(
    headers,
    'x-gateway-dropped-params',
    droppedHeader(
      carried.dropped.length === 0 ? rendered.dropped : [...carried.dropped, ...rendered.dropped],
    ),
  );
}

const longestHeader = 1_000;

/**
 * Names are the client's own and may hold anything; a header may not, and clients take only short
 * ones.
 */
function droppedHeader(dropped: readonly string[]): string | undefined {
  if (dropped.length === 0) return undefined;
  const names = dropped.slice(0, 100).map((name) => encodeName(name.slice(0, 100)));
  const fitting = names.filter(
    (_name, index) => names.slice(0, index + 1).join(', ').length <= longestHeader,
  );
  return [...fitting, ...(fitting.length < dropped.length ? ['...'] : [])].join(', ');
}

/**
 * Percent signs for what is no plain character; half of a pair becomes the sign for "unreadable".
 */
const encodeName = (name: string): string =>
  name.replace(/[^!-+\--~]+/g, (odd) =>
    encodeURIComponent(Buffer.from(odd).toString()).replaceAll(',', '%2C'),
  );

function setHeader(headers: string[], name: string, value: string | undefined): void {
  const at = headers.indexOf(name);
  if (at !== -1) headers.splice(at, 2);
  if (value !== undefined) headers.push(name, value);
}
