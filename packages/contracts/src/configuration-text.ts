import {
  fetchesMediaChoices,
  type FetchesMedia,
  type Quirks,
  type TextModel,
  type TextProvider,
  type TextProviderKind,
  type TextRoute,
} from './configuration.ts';
import {
  brokenRules,
  isTextKind,
  name,
  positive,
  providerFields,
  retirementRule,
  withoutSlashes,
  type KnownProviders,
  type PathProblem,
  type RawProviderFields,
} from './configuration-parts.ts';
import { retiresAt, toRetiresAt } from './retirement.ts';
import { forwardSchema, toForwardLists, type ForwardLists } from './text-forwarding.ts';
import { tokenQuotaSchema, toTokenPrice, type RawTokenQuota } from './token-quota.ts';
import { textDialectFacts, vendorOfHost } from './text-vendors.ts';

const seconds = (defaultSeconds: number) =>
  ({
    type: 'number',
    minimum: 0.1,
    maximum: 3_600,
    default: defaultSeconds,
    'x-must-be': 'a number of seconds between 0.1 and 3600',
  }) as const;

/** One for each dialect: the vendors and their quirks are the dialect's own. */
export const textProviderSchema = (kind: TextProviderKind) => {
  const { vendorNames, quirksSchema } = textDialectFacts[kind];
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      kind: true,
      ...providerFields,
      vendor: { enum: vendorNames, 'x-must-be': `one of ${vendorNames.join(', ')}` },
      max_concurrent: positive,
      connect_timeout_seconds: seconds(5),
      first_byte_timeout_seconds: seconds(60),
      idle_timeout_seconds: seconds(120),
      answer_timeout_seconds: seconds(600),
      forward: forwardSchema,
      fetches_media: {
        enum: fetchesMediaChoices,
        default: 'public',
        'x-must-be': `one of ${fetchesMediaChoices.join(', ')}`,
      },
      quirks: quirksSchema,
    },
  } as const;
};

export const textModelSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['routes'],
  properties: {
    kind: true,
    display_name: { type: 'string', minLength: 1, maxLength: 128 },
    max_output_tokens: positive,
    context_tokens: positive,
    hold_output_tokens: { ...positive, default: 4_096 },
    retires_at: retiresAt,
    token_quota: tokenQuotaSchema,
    routes: {
      type: 'array',
      minItems: 1,
      maxItems: 32,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['provider', 'model'],
        properties: {
          provider: name,
          model: { type: 'string', minLength: 1, maxLength: 256 },
          weight: {
            type: 'number',
            exclusiveMinimum: 0,
            maximum: 1_000_000,
            default: 1,
            'x-must-be': 'a number above 0',
          },
          fallback: { type: 'boolean', default: false },
          // Which fields there are depends on the dialect of the provider: checked with the schema
          // of its kind.
          quirks: { type: 'object' },
        },
      },
    },
  },
} as const;

/** The file's own spelling of a text provider, after validation with defaults. */
export interface RawTextProvider extends RawProviderFields {
  kind: TextProviderKind;
  vendor?: string;
  max_concurrent?: number;
  connect_timeout_seconds: number;
  first_byte_timeout_seconds: number;
  idle_timeout_seconds: number;
  answer_timeout_seconds: number;
  forward?: Partial<ForwardLists>;
  fetches_media: FetchesMedia;
  quirks?: Quirks;
}

export interface RawTextRoute {
  provider: string;
  model: string;
  weight: number;
  fallback: boolean;
  quirks?: Quirks;
}

/** The file's own spelling of a text model, after validation with defaults. */
export interface RawTextModel {
  kind: 'text';
  display_name?: string;
  max_output_tokens?: number;
  context_tokens?: number;
  hold_output_tokens: number;
  retires_at?: string;
  token_quota?: RawTokenQuota;
  routes: RawTextRoute[];
}

/** Checks quirks with the schema of their dialect; each problem's path begins inside the quirks. */
export type CheckQuirks = (kind: TextProviderKind, quirks: Quirks) => readonly PathProblem[];

/**
 * The model with objects for routes that are none, so that the rules of the others can be looked
 * at.
 */
export function mendTextModel(model: RawTextModel): RawTextModel {
  const routes: unknown = model.routes;
  return {
    ...model,
    routes: Array.isArray(routes)
      ? routes.map(
          (route: unknown) =>
            (typeof route === 'object' && route !== null ? route : {}) as RawTextRoute,
        )
      : [],
  };
}

/** What is wrong between the fields of a text model. */
export function textModelProblems(
  { routes, retires_at: retirement }: RawTextModel,
  { kindOf, vendorOf }: KnownProviders,
  checkQuirks: CheckQuirks,
): PathProblem[] {
  const seen = new Set<string>();
  const problems = routes.flatMap((route, index) => {
    const kind = kindOf(route.provider);
    const target = `${route.provider} ${route.model}`;
    const found = brokenRules([
      [
        kind === undefined,
        ['provider'],
        `names the provider ${route.provider}, which is not under providers`,
      ],
      [
        vendorOf(kind) !== undefined,
        ['provider'],
        `names the provider ${route.provider}, which is a video provider`,
      ],
      [
        seen.has(target),
        ['model'],
        `is the model ${route.model} of ${route.provider}, which another route already uses`,
      ],
    ]);
    seen.add(target);
    const quirks = isTextKind(kind)
      ? checkQuirks(kind, route.quirks ?? {}).map(({ path, message }) => ({
          path: ['quirks', ...path],
          message,
        }))
      : [];
    return [...found, ...quirks].map(({ path, message }) => ({
      path: ['routes', String(index), ...path],
      message,
    }));
  });
  return [
    ...problems,
    ...brokenRules([
      retirementRule(retirement),
      [
        routes.every((route) => route.fallback),
        ['routes'],
        'has only fallbacks; at least one route must not be a fallback',
      ],
    ]),
  ];
}

export const toTextProvider = (
  providerName: string,
  raw: RawTextProvider,
  apiKey: string,
): TextProvider => ({
  name: providerName,
  kind: raw.kind,
  vendor: raw.vendor ?? vendorOfHost(raw.kind, raw.base_url),
  baseUrl: withoutSlashes(raw.base_url),
  apiKey,
  maxConcurrent: raw.max_concurrent,
  connectTimeoutMs: toMs(raw.connect_timeout_seconds),
  firstByteTimeoutMs: toMs(raw.first_byte_timeout_seconds),
  idleTimeoutMs: toMs(raw.idle_timeout_seconds),
  responseTimeoutMs: toMs(raw.answer_timeout_seconds),
  forward: toForwardLists(raw.forward),
  fetchesMedia: raw.fetches_media,
  quirks: raw.quirks ?? {},
});

export const toTextModel = (model: string, raw: RawTextModel): TextModel => ({
  name: model,
  displayName: raw.display_name ?? model,
  maxOutputTokens: raw.max_output_tokens,
  contextTokens: raw.context_tokens,
  holdOutputTokens: raw.hold_output_tokens,
  retiresAt: toRetiresAt(raw.retires_at),
  tokenPrice: raw.token_quota && toTokenPrice(raw.token_quota),
  routes: raw.routes.map(toTextRoute),
});

const toTextRoute = ({
  provider,
  model,
  weight,
  fallback,
  quirks = {},
}: RawTextRoute): TextRoute => ({
  name: `${provider}/${model}`,
  provider,
  upstreamModel: model,
  weight,
  fallback,
  quirks,
});

const toMs = (amount: number): number => Math.round(amount * 1_000);
