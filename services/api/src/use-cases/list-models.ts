import {
  isRetired,
  type Configuration,
  type Retiring,
  type TextModel,
  type VideoModel,
} from '@gateway/contracts';
import { GatewayError } from '@gateway/domain';
import type { Page } from '@gateway/store';
import type { Caller } from './authenticate.ts';

type Models = Pick<Configuration, 'models' | 'textModels'>;

/**
 * One shape that the clients of all dialects read: `object`, `created`, `owned_by` for one,
 * `type`, `display_name`, `created_at` for the other.
 */
export interface ModelResource {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
  readonly type: 'model';
  readonly display_name: string;
  readonly created_at: string;
  /** From then on the model serves nobody; null: no end is known. */
  readonly retires_at: string | null;
  readonly kind: 'text' | 'video';
  readonly [detail: string]: unknown;
}

export interface ModelPage {
  readonly limit: number;
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

export interface ListModels {
  list(caller: Caller, page: ModelPage): Page<ModelResource>;
  /** Throws model_not_found, also for a model that the key may not use or that is retired. */
  find(caller: Caller, id: string): ModelResource;
}

/**
 * The models a key may use and that are not retired, in the order of the configuration, which was
 * read just now.
 */
export function createListModels(
  configuration: Models,
  clock: { now(): number; date(): Date },
): ListModels {
  const createdAt = clock.date();
  const all = [
    ...[...configuration.textModels.values()].map((model) => ({
      model,
      resource: resourceOf(model, textDetails(model), createdAt),
    })),
    ...[...configuration.models.values()].map((model) => ({
      model,
      resource: resourceOf(model, videoDetails(model), createdAt),
    })),
  ];
  const usableBy = ({ models }: Caller): ModelResource[] =>
    all
      .filter(
        ({ model }) =>
          (models.length === 0 || models.includes(model.name)) && !isRetired(model, clock.now()),
      )
      .map(({ resource }) => resource);
  return {
    list(caller, { limit, after, before }) {
      const usable = usableBy(caller);
      const start = after === undefined ? 0 : usable.findIndex(({ id }) => id === after) + 1;
      const end = before === undefined ? usable.length : indexOf(usable, before);
      const between = usable.slice(start, end);
      // Backwards from `before`, the nearest ones are wanted.
      const items =
        before !== undefined && after === undefined
          ? between.slice(-limit)
          : between.slice(0, limit);
      return { items, hasMore: items.length < between.length };
    },
    find(caller, id) {
      const usable = usableBy(caller);
      const found = usable.find((model) => model.id === id);
      if (found === undefined) {
        throw new GatewayError(
          'model_not_found',
          `there is no model ${JSON.stringify(id.slice(0, 128))}; available models: ${
            usable
              .map((model) => model.id)
              .slice(0, 20)
              .join(', ') || 'none for this key'
          }`,
          { param: 'model' },
        );
      }
      return found;
    },
  };
}

function indexOf(models: readonly ModelResource[], id: string): number {
  const index = models.findIndex((model) => model.id === id);
  return index === -1 ? models.length : index;
}

const resourceOf = (
  { name, retiresAt }: Retiring & { readonly name: string },
  details: { readonly kind: 'text' | 'video'; readonly display_name: string },
  createdAt: Date,
): ModelResource => ({
  id: name,
  object: 'model',
  created: Math.floor(createdAt.getTime() / 1_000),
  owned_by: 'gateway',
  type: 'model',
  created_at: `${createdAt.toISOString().slice(0, 19)}Z`,
  retires_at: retiresAt === undefined ? null : `${retiresAt.toISOString().slice(0, 19)}Z`,
  ...details,
});

const textDetails = ({ displayName, maxOutputTokens, contextTokens, tokenPrice }: TextModel) => ({
  kind: 'text' as const,
  display_name: displayName,
  max_input_tokens: contextTokens ?? null,
  max_tokens: maxOutputTokens ?? null,
  max_output_tokens: maxOutputTokens ?? null,
  price:
    tokenPrice === undefined
      ? null
      : {
          input: tokenPrice.input,
          output: tokenPrice.output,
          cached_input: tokenPrice.cachedInput,
          cache_write: tokenPrice.cacheWrite,
          cache_write_1h: tokenPrice.cacheWrite1h ?? tokenPrice.cacheWrite,
          server_tools: tokenPrice.serverTools ?? {},
          service_tier: tokenPrice.serviceTiers ?? {},
          per: tokenPrice.per,
        },
});

const videoDetails = (model: VideoModel) => ({
  kind: 'video' as const,
  display_name: model.name,
  parameters: {
    duration: model.duration,
    ratio: model.ratio,
    resolution: model.resolution,
    references: model.references,
    frames: model.frames,
    unsupported: model.unsupported,
    options: model.options,
    prompt_max_characters: model.promptMaxCharacters,
  },
  price: videoPrice(model.price),
});

/** As the configuration spells it; what is not charged for is left out. */
const videoPrice = ({ secondQuota, audioSecondQuota, rules = {} }: VideoModel['price']) => ({
  second_quota: secondQuota,
  audio_second_quota: audioSecondQuota,
  ...(rules.inputSecond && { input_second: rules.inputSecond }),
  ...(rules.inputSecondAssumed !== undefined && { input_second_assumed: rules.inputSecondAssumed }),
  ...(rules.reference && { reference: rules.reference }),
  ...(rules.clip && { clip: rules.clip }),
  ...(rules.minimum !== undefined && { minimum: rules.minimum }),
  ...(rules.factor && { factor: rules.factor }),
});
