import type { ProviderSettings, VideoModel } from './configuration.ts';
import {
  brokenRules,
  retirementRule,
  isTextKind,
  withoutSlashes,
  type KnownProviders,
  type PathProblem,
} from './configuration-parts.ts';
import type { RawVideoModel, RawVideoProvider } from './configuration-video-schema.ts';
import { toRetiresAt } from './retirement.ts';
import { toCost, toVideoPrice } from './configuration-price.ts';
import { priceRules } from './price-problems.ts';
import { boundRules } from './video-bounds.ts';
import { videoModelBounds, type VideoModelBounds } from './video-vendors.ts';

/**
 * Nothing of it breaks a rule: NaN is neither below nor above any bound, and an empty name is no
 * name that a bound could miss.
 */
const harmless = {
  provider: '',
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
  last_frame: 'none',
} satisfies Partial<RawVideoModel>;

/**
 * The model with harmless values for fields that are wrong themselves, so that the rules between
 * the others can be looked at.
 */
export const mendVideoModel = (
  model: RawVideoModel,
  isSound: (field: string) => boolean,
): RawVideoModel => ({
  ...model,
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
  const kind = providers.kindOf(model.provider);
  return brokenRules([
    [
      kind === undefined,
      ['provider'],
      `names the provider ${model.provider}, which is not under providers`,
    ],
    [
      isTextKind(kind),
      ['provider'],
      `names the provider ${model.provider}, which is a text provider`,
    ],
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
    ...boundRules(model, {
      bounds: boundsOf(model, providers),
      at: `for ${model.upstream_model} at a provider of kind ${String(kind)}`,
    }),
  ]);
}

/**
 * What the vendor can be asked for with this model; nothing is known of a provider that is not
 * there or none for video.
 */
function boundsOf(model: RawVideoModel, { kindOf, vendorOf }: KnownProviders): VideoModelBounds {
  const vendor = vendorOf(kindOf(model.provider));
  return vendor === undefined ? {} : videoModelBounds(vendor, model.upstream_model);
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
 * The model as requests are read with it: what its vendor cannot do is unsupported, whatever the
 * file says.
 */
export function toVideoModel(
  model: string,
  raw: RawVideoModel,
  providers: KnownProviders,
): VideoModel {
  const bounds = boundsOf(raw, providers);
  const lastFrame = raw.last_frame ?? (bounds.lastFrame === false ? 'none' : undefined);
  return {
    name: model,
    provider: raw.provider,
    upstreamModel: raw.upstream_model,
    price: toVideoPrice(raw),
    ...(raw.cost !== undefined && { cost: toCost(raw.cost) }),
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
        ...(bounds.unsupported ?? []),
        ...(lastFrame === 'none' ? (['return_last_frame'] as const) : []),
      ]),
    ],
    ...(lastFrame !== undefined && { lastFrame }),
    promptMaxCharacters: Math.min(
      raw.prompt_max_characters,
      bounds.promptMaxCharacters ?? Infinity,
    ),
    expiresAfterSeconds: raw.expires_after_seconds,
    retentionDays: raw.retention_days,
    retiresAt: toRetiresAt(raw.retires_at),
  };
}
