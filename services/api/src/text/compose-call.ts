import type { TextModel, TextProvider, TextRoute } from '@gateway/contracts';
import type { RouteCall } from './call-route.ts';
import { routeName } from './choose-routes.ts';
import type { Downstream } from './downstream.ts';
import type { Exchange } from './exchange.ts';
import type { Preparation } from './preparation.ts';
import type { RequestBody } from './prepare.ts';

/** One request to be answered, whichever route does. */
export interface AnswerTask {
  readonly model: TextModel;
  readonly body: RequestBody;
  readonly wantsStream: boolean;
  readonly includeUsage: boolean;
}

/** Puts the request into the words of one route. Throws what that upstream cannot be told. */
export async function composeCall(preparation: Preparation, exchange: Exchange, { task, route, provider, downstream }: { task: AnswerTask; route: TextRoute; provider: TextProvider; downstream: Downstream }): Promise<RouteCall> {
  const { model, body, wantsStream, includeUsage } = task;
  const rendered = preparation.render(body, {
    kind: 'render',
    dialect: exchange.path.dialect,
    upstream: {
      dialect: provider.kind, vendor: provider.vendor, model: route.upstreamModel, overrides: { ...provider.quirks, ...route.quirks },
      ...(model.maxOutputTokens !== undefined && { maxOutputTokens: model.maxOutputTokens }),
    },
    // What is charged by the token must be counted by the upstream; a chat stream says it only when asked.
    addUsage: provider.kind === 'chat' && wantsStream && !includeUsage && model.tokenPrice !== undefined,
  });
  const call: RouteCall = { route, provider, wantsStream, includeUsage, downstream, rendered: rendered instanceof Promise ? await rendered : rendered };
  note(exchange, call);
  return call;
}

/** Says on the answer and in the record who is being asked. */
function note({ facts, headers, response }: Exchange, { route, provider, rendered }: RouteCall): void {
  facts.attempts += 1;
  facts.provider = provider.name;
  facts.upstreamModel = route.upstreamModel;
  facts.upstreamDialect = provider.kind;
  if (response.headersSent) return;
  setHeader(headers, 'x-gateway-route', routeName(route));
  setHeader(headers, 'x-gateway-attempts', String(facts.attempts));
  setHeader(headers, 'x-gateway-dropped-params', rendered.dropped.length > 0 ? rendered.dropped.join(', ') : undefined);
}

function setHeader(headers: string[], name: string, value: string | undefined): void {
  const at = headers.indexOf(name);
  if (at !== -1) headers.splice(at, 2);
  if (value !== undefined) headers.push(name, value);
}
