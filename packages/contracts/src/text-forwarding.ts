import type { Dialect } from '@gateway/text-dialects';
import { pricedTier, pricedTool, usesOf, type PricedBy } from './text-priced-parts.ts';

/**
 * What a request of the same dialect carries to its upstream. By default that is everything that
 * changes the completion. What picks another tenant at the vendor, or costs extra and has no price,
 * is refused unless the provider's configuration lists it under `forward`, or the model's
 * `token_quota` prices it.
 */

/** Names, or beginnings of names that end in `*`. */
export interface ForwardLists {
  readonly headers: readonly string[];
  readonly query: readonly string[];
  readonly fields: readonly string[];
  /** Types of tools that run at the vendor. */
  readonly tools: readonly string[];
  readonly betas: readonly string[];
}

export type ForwardList = keyof ForwardLists;

const entries = {
  type: 'array',
  maxItems: 64,
  items: {
    type: 'string',
    pattern: '^[A-Za-z0-9$_.:-]{1,100}\\*?$',
    'x-must-be': 'a name, or the beginning of one followed by *',
  },
} as const;

export const forwardSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    headers: entries,
    query: entries,
    fields: entries,
    tools: entries,
    betas: entries,
  },
} as const;

/** Names of headers are the same in any case. */
export const toForwardLists = ({
  headers = [],
  query = [],
  fields = [],
  tools = [],
  betas = [],
}: Partial<ForwardLists> = {}): ForwardLists => ({
  headers: headers.map((name) => name.toLowerCase()),
  query,
  fields,
  tools,
  betas,
});

export const isListed = (list: readonly string[], name: string): boolean =>
  list.some((entry) =>
    entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry,
  );

/** A part of a request that is refused unless the provider's `forward` lists it or it has a price. */
export interface RestrictedPart {
  readonly list: ForwardList;
  readonly name: string;
  /** Where it stands, for `param`. */
  readonly param: string;
  /** Continues a sentence that begins with the part. */
  readonly because: string;
  /** What the client can do about it. */
  readonly remedy: string;
  /** What prices it, where something can. */
  readonly pricedBy?: PricedBy | undefined;
  /** Of a tool: how often the request lets it be used, as far as it says. */
  readonly uses?: number | undefined;
}

const anotherTenant = 'picks another tenant at the vendor';
const costsExtra = 'costs extra at the vendor and has no price here';

/** Headers that are refused, and why. */
const restrictedHeaders: ReadonlyMap<string, string> = new Map([
  ['openai-organization', anotherTenant],
  ['openai-project', anotherTenant],
  ['anthropic-workspace-id', anotherTenant],
  ['anthropic-organization-id', anotherTenant],
  ['anthropic-user-profile-id', anotherTenant],
  ['x-goog-user-project', anotherTenant],
  ['x-amzn-bedrock-service-tier', costsExtra],
  ['x-amzn-bedrock-performanceconfig-latency', costsExtra],
  ['x-vertex-ai-llm-request-type', costsExtra],
  ['x-vertex-ai-llm-shared-request-type', costsExtra],
]);

/** Betas that cost extra by the header alone; the others need a field, which is looked at itself. */
const restrictedBetas = /^context-1m-/;

/** Parameters of the query that go along; what else the client sends stays here. */
const forwardedQuery: readonly string[] = ['beta', 'api-version'];
const restrictedQuery: ReadonlyMap<string, string> = new Map(
  [
    'organization',
    'organization_id',
    'project',
    'project_id',
    '$userProject',
    'userProject',
    'quotaUser',
    'workspace_id',
  ].map((name) => [name, anotherTenant]),
);

interface RestrictedField {
  readonly because: string;
  /** Values that change nothing and cost nothing; `null` and what is left out never do. */
  readonly harmless: readonly unknown[];
  readonly pricedBy?: (value: unknown) => PricedBy | undefined;
}

const field = (because: string, ...harmless: unknown[]): RestrictedField => ({ because, harmless });
const searches = (name: string, ...harmless: unknown[]): RestrictedField => ({
  ...field(costsExtra, ...harmless),
  pricedBy: () => pricedTool(name),
});
const sharedAccount = 'keeps the conversation in the account that all customers share';
const otherModels = 'lets the vendor complete the request with a model that has another price';
const serviceTier: RestrictedField = {
  ...field(costsExtra, 'auto', 'default', 'standard', 'standard_only'),
  pricedBy: pricedTier,
};

/** Top-level fields that are refused, by the dialect of the request. */
const restrictedFields: Readonly<Record<Dialect, readonly [string, RestrictedField][]>> = {
  messages: [
    // First: without it, official clients send the whole conversation.
    ['thread', field(sharedAccount)],
    ['service_tier', serviceTier],
    ['speed', { ...field(costsExtra, 'standard'), pricedBy: pricedTier }],
    ['inference_geo', field(costsExtra, 'global')],
    ['container', field(costsExtra)],
    ['mcp_servers', field('makes the vendor call servers that nobody here has checked')],
    ['fallbacks', field(otherModels)],
    ['fallback_credit_token', field(costsExtra)],
    ['billing_policy', field(costsExtra)],
  ],
  chat: [
    ['service_tier', serviceTier],
    ['store', field(sharedAccount, false)],
    ['web_search_options', searches('web_search')],
    ['search_parameters', searches('live_search')],
    ['enable_search', searches('web_search', false)],
    ['plugins', field(costsExtra)],
    ['models', field(otherModels)],
    ['provider', field(otherModels)],
  ],
  responses: [
    ['service_tier', serviceTier],
    ['prompt', field('names a template in the account that all customers share')],
    ['models', field(otherModels)],
    ['provider', field(otherModels)],
    ['plugins', field(costsExtra)],
  ],
};

/** Tools that the client runs, or that cost only the tokens they add. */
const harmlessTools: Readonly<Record<Dialect, RegExp>> = {
  messages:
    /^(custom|function|(bash|text_editor|memory|computer|computer_toolset|browser_toolset|tool_search_tool_\w+)_\d+|tool_search_tool_(regex|bm25))$/,
  chat: /^(function|custom)$/,
  responses: /^(function|custom|namespace|local_shell|apply_patch|computer|computer_use_preview)$/,
};

/** Types whose calls are reported under another name, by which they are priced. */
const reportedAs: Readonly<Record<Dialect, (type: string) => string>> = {
  messages: (type) => type,
  chat: (type) => type,
  responses: (type) => type.replace(/(_preview)?(_\d{4}_\d\d_\d\d)?$/, ''),
};

/** What in a body a provider's configuration has to allow; undefined for nearly every request. */
export function restrictedPartsOf(
  dialect: Dialect,
  body: Readonly<Record<string, unknown>>,
): readonly RestrictedPart[] | undefined {
  let parts: RestrictedPart[] | undefined;
  for (const [name, { because, harmless, pricedBy }] of restrictedFields[dialect]) {
    const value = body[name];
    if (value === undefined || isHarmless(value, harmless)) continue;
    (parts ??= []).push({
      list: 'fields',
      name,
      param: name,
      because,
      remedy: remedyFor(harmless),
      pricedBy: pricedBy?.(value),
    });
  }
  const tools = restrictedToolsOf(dialect, body['tools']);
  return tools === undefined ? parts : [...(parts ?? []), ...tools];
}

/** One part for each type of tool. */
function restrictedToolsOf(dialect: Dialect, tools: unknown): RestrictedPart[] | undefined {
  if (!Array.isArray(tools)) return undefined;
  let found: Map<string, RestrictedPart> | undefined;
  for (let index = 0; index < tools.length; index += 1) {
    const name = typeNameOf(tools[index]);
    if (isHarmlessTool(dialect, name) || found?.has(name) === true) continue;
    (found ??= new Map()).set(name, {
      list: 'tools',
      name,
      param: `tools[${index}].type`,
      because: 'runs at the vendor, costs extra there and has no price here',
      remedy: 'leave the tool out, or send one that you run yourself',
      pricedBy: pricedTool(reportedAs[dialect](name)),
      uses: usesOf(tools[index]),
    });
  }
  return found && [...found.values()];
}

/** A tool without a type is the client's own. */
function typeNameOf(tool: unknown): string {
  const type = (tool as { readonly type?: unknown } | null)?.type ?? 'custom';
  return typeof type === 'string' ? type : JSON.stringify(type);
}

const isHarmlessTool = (dialect: Dialect, type: string): boolean =>
  type === 'function' || harmlessTools[dialect].test(type);

const isHarmless = (value: unknown, harmless: readonly unknown[]): boolean =>
  value === null || harmless.includes(value) || (Array.isArray(value) && value.length === 0);

const remedyFor = (harmless: readonly unknown[]): string =>
  harmless.length === 0
    ? 'leave it out'
    : `leave it out, or send ${harmless.map((value) => JSON.stringify(value)).join(' or ')}`;

/** Headers that need a look before they go along, in lower case. */
export const watchedHeaders: readonly string[] = ['anthropic-beta', ...restrictedHeaders.keys()];

/** What one of those is refused for, if anything. */
export function restrictedHeader(
  name: string,
  value: string,
  { headers, betas }: ForwardLists,
): RestrictedPart | undefined {
  if (name === 'anthropic-beta') return restrictedBeta(value, betas);
  const because = restrictedHeaders.get(name);
  if (because === undefined || isListed(headers, name)) return undefined;
  return { list: 'headers', name, param: name, because, remedy: 'do not send this header' };
}

function restrictedBeta(value: string, allowed: readonly string[]): RestrictedPart | undefined {
  const beta = value
    .split(',')
    .map((each) => each.trim())
    .find((each) => restrictedBetas.test(each) && !isListed(allowed, each));
  if (beta === undefined) return undefined;
  return {
    list: 'betas',
    name: beta,
    param: 'anthropic-beta',
    because: costsExtra,
    remedy: `leave ${beta.slice(0, 100)} out of it`,
  };
}

/** A parameter of the query goes along, stays here, or is refused. */
export function judgeQuery(
  name: string,
  { query }: ForwardLists,
): 'forward' | 'drop' | RestrictedPart {
  if (forwardedQuery.includes(name) || isListed(query, name)) return 'forward';
  const because = restrictedQuery.get(name);
  return because === undefined
    ? 'drop'
    : { list: 'query', name, param: name, because, remedy: 'leave it out of the query' };
}
