import type { ProviderSettings, VideoModel } from './configuration.ts';
import {
  brokenRules,
  retirementRule,
  withoutSlashes,
  type KnownProviders,
  type PathProblem,
} from './configuration-parts.ts';
import { toVideoPrice } from './configuration-price.ts';
import {
  mendRoutes,
  promiseRules,
  routeRules,
  routesOf,
  toVideoRoute,
} from './configuration-video-routes.ts';
import type { RawVideoModel, RawVideoProvider } from './configuration-video-schema.ts';
import { priceRules } from './price-problems.ts';
import { lastEnd, toRetiresAt } from './retirement.ts';
import { optionalFields } from './video-fields.ts';

/**
 * Nothing of it breaks a rule: NaN is neither below nor above any bound, and an empty name is no
 * name that a bound could miss.
 */
const harmless = {
  provider: undefined,
  upstream_model: undefined,
  second_quota: 0,
  price: undefined,
  cost: undefined,
  duration: { min: NaN, max: NaN, default: NaN, auto: false },
  ratio: { allowed: [''], default: '' },
  resolution: { allowed: [''], default: '' },
  references: { image: 0, video: 0, audio: 0 },
  frames: [],
  media_only: false,
  unsupported: [],
  options: [],
  last_frame: 'none',
} satisfies Partial<RawVideoModel>;

/**
 * The model with harmless values for fields that are wrong themselves, so that the rules between
 * the others can be looked at.
 */
export const mendVideoModel = (
  model: RawVideoModel,
  isSound: (...path: readonly string[]) => boolean,
): RawVideoModel => ({
  ...model,
  ...(model.routes !== undefined && { routes: mendRoutes(model.routes, isSound) }),
  ...Object.fromEntries(Object.entries(harmless).filter(([field]) => !isSound(field))),
  ...(!isSound('price') && { second_quota: 0, audio_second_quota: 0 }),
});

/** What is wrong between the fields of a video model. */
export function videoModelProblems(model: RawVideoModel, providers: KnownProviders): PathProblem[] {
  const {
    duration,
    ratio,
    resolution,
    second_quota: price,
    last_frame: lastFrame = 'none',
  } = model;
  return brokenRules([
    ...routeRules(model, providers),
    [duration.min > duration.max, ['duration', 'min'], 'is larger than max'],
    [
      duration.default < duration.min || duration.default > duration.max,
      ['duration', 'default'],
      'is not between min and max',
    ],
    [!ratio.allowed.includes(ratio.default), ['ratio', 'default'], 'is not one of allowed'],
    [
      !resolution.allowed.includes(resolution.default),
      ['resolution', 'default'],
      'is not one of allowed',
    ],
    [
      lastFrame !== 'none' && model.unsupported.includes('return_last_frame'),
      ['last_frame'],
      `is ${lastFrame}, and unsupported names return_last_frame`,
    ],
    ...resolution.allowed.map(
      (value) =>
        [
          typeof price === 'object' && price[value] === undefined,
          ['second_quota'],
          `has no price for the resolution ${value}`,
        ] as const,
    ),
    retirementRule(model.retires_at),
    ...priceRules(model),
    ...promiseRules(model, providers),
  ]);
}

export const toVideoProvider = (
  providerName: string,
  raw: RawVideoProvider,
  apiKey: string,
): ProviderSettings => ({
  name: providerName,
  kind: raw.kind,
  baseUrl: withoutSlashes(raw.base_url),
  apiKey,
  maxConcurrent: raw.max_concurrent,
  requestsPerSecond: raw.requests_per_second,
  pace: { firstSeconds: raw.poll_seconds.first, maxSeconds: raw.poll_seconds.max },
});

/**
 * The model as requests are read with it: what none of its vendors can do is unsupported, whatever
 * the file says.
 */
export function toVideoModel(
  model: string,
  raw: RawVideoModel,
  providers: KnownProviders,
): VideoModel {
  const routes = routesOf(raw).map(({ route }) => toVideoRoute(route, providers));
  const bounds = routes.map((route) => route.bounds);
  const hasNoLastFrame = bounds.every((each) => each.lastFrame === false);
  const lastFrame = raw.last_frame ?? (hasNoLastFrame ? 'none' : undefined);
  return {
    name: model,
    routes,
    busyAfterSeconds: raw.busy_after_seconds,
    retryFailed: raw.retry_failed,
    price: toVideoPrice(raw),
    duration: raw.duration,
    ratio: raw.ratio,
    resolution: raw.resolution,
    references: raw.references,
    frames: raw.frames,
    generateAudioByDefault: raw.generate_audio,
    mediaOnly: raw.media_only,
    unsupported: [
      ...new Set([
        ...raw.unsupported,
        ...optionalFields.filter((field) =>
          bounds.every((each) => each.unsupported?.includes(field) === true),
        ),
        ...(lastFrame === 'none' ? (['return_last_frame'] as const) : []),
      ]),
    ],
    options: raw.options,
    ...(lastFrame !== undefined && { lastFrame }),
    promptMaxCharacters: Math.min(
      raw.prompt_max_characters,
      Math.max(...bounds.map((each) => each.promptMaxCharacters ?? Infinity)),
    ),
    expiresAfterSeconds: raw.expires_after_seconds,
    retentionDays: raw.retention_days,
    retiresAt: lastEnd(toRetiresAt(raw.retires_at), routes),
  };
}
