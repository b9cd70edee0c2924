import type { TextModel, TextProvider, TextRoute } from '@gateway/contracts';
import type { Upstream } from '@gateway/text-dialects';
import type { CompletionRequest, Preparation, Rendered } from '../arrive/index.ts';
import type { ClientStream } from '../client/index.ts';
import type { TextRequest } from '../request/index.ts';
import type { UpstreamCall } from '../upstream/index.ts';

/**
 * Renders the request for one route; at once, unless another thread does it. Throws, or rejects
 * with, the refusal of a request that this upstream's dialect cannot express.
 */
export function composeCall(
  preparation: Preparation,
  request: TextRequest,
  {
    wanted,
    route,
    provider,
    clientStream,
  }: {
    wanted: CompletionRequest;
    route: TextRoute;
    provider: TextProvider;
    clientStream: ClientStream;
  },
): UpstreamCall | Promise<UpstreamCall> {
  const { model, body, wantsStream, includeUsage } = wanted;
  const upstream = upstreamOf(model, route, provider);
  const rendered = preparation.render(body, {
    kind: 'render',
    dialect: request.path.dialect,
    upstream,
    // What is charged by the token must be counted by the upstream; a chat stream says it only when
    // asked.
    addUsage:
      provider.kind === 'chat' && wantsStream && !includeUsage && model.tokenPrice !== undefined,
  });
  const callWith = (ready: Rendered): UpstreamCall => ({
    route,
    provider,
    upstream,
    wantsStream,
    includeUsage,
    clientStream,
    rendered: ready,
  });
  return rendered instanceof Promise ? rendered.then(callWith) : callWith(rendered);
}

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
  };
  upstreams.set(route, upstream);
  return upstream;
}

/** Notes in the response's headers and in the record which upstream is called. */
export function noteAttempt(
  { facts, headers, response }: TextRequest,
  { route, provider, rendered }: UpstreamCall,
): void {
  facts.attempts += 1;
  facts.provider = provider.name;
  facts.upstreamModel = route.upstreamModel;
  facts.upstreamDialect = provider.kind;
  if (response.headersSent) return;
  setHeader(headers, 'x-gateway-route', route.name);
  setHeader(headers, 'x-gateway-attempts', String(facts.attempts));
  setHeader(headers, 'x-gateway-dropped-params', droppedHeader(rendered.dropped));
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
