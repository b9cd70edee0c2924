import { frameRoles, optionalFields, shapes, videoOptions, type Schema } from '@gateway/contracts';
import { factorNames } from '@gateway/domain';
import type { ModelResource } from '../use-cases/list-models.ts';
import { pageOf, ref } from '../http/resource-schemas.ts';

const { constant, count, described, eitherOf, flag, listOf, moment, named, number } = shapes;
const { oneOf, orNull, schemaOf, text, whole } = shapes;

type CommonFields = Record<
  keyof { [Name in keyof ModelResource as string extends Name ? never : Name]: unknown },
  Schema
>;

const common: CommonFields = {
  id: described(text, 'The name that requests use.'),
  object: constant('model'),
  created: described(whole, 'Unix time in seconds.'),
  owned_by: text,
  type: constant('model'),
  display_name: text,
  created_at: moment,
  retires_at: described(orNull(moment), 'From then on nobody is served with the model.'),
  kind: oneOf(['text', 'video']),
};

const quotaByName = (description: string): Schema => ({
  type: 'object',
  additionalProperties: count,
  description,
});
const factorByName = (description: string): Schema => ({
  type: 'object',
  additionalProperties: number,
  description,
});
const some = (properties: Readonly<Record<string, Schema>>, description: string): Schema =>
  schemaOf<Record<string, unknown>>(properties, {
    optional: Object.keys(properties),
    description,
  });

const textPrice = named(
  'TextPrice',
  schemaOf(
    {
      input: described(number, 'For `per` tokens of input.'),
      output: described(number, 'For `per` tokens of output.'),
      cached_input: described(number, 'For `per` tokens of input that were read from a cache.'),
      cache_write: described(number, 'For `per` tokens that were written to a cache.'),
      cache_write_1h: described(number, 'For `per` tokens that were written to it for an hour.'),
      server_tools: factorByName('For one use of each tool that the vendor runs.'),
      service_tier: factorByName('What the prices of tokens are multiplied by in each tier.'),
      per: described(count, 'How many tokens a price is for.'),
    },
    { description: 'What text costs, in quota.' },
  ),
);

const perSecond = (description: string): Schema => ({
  anyOf: [count, quotaByName('By resolution.')],
  description,
});

const videoPrice = named(
  'VideoPrice',
  schemaOf(
    {
      second_quota: perSecond('For a second of output: one figure, or one for each resolution.'),
      audio_second_quota: described(count, 'For a second of output with sound, in addition.'),
      input_second: some(
        { video: count, audio: count },
        'For a second of the references of a kind.',
      ),
      input_second_assumed: described(
        count,
        'Seconds of a reference whose length cannot be read; absent: it must be readable.',
      ),
      reference: some(
        { image: count, video: count, audio: count },
        'For a reference of a kind, frames included.',
      ),
      clip: quotaByName('For a whole video, by its length in seconds.'),
      minimum: described(count, 'The least that a video costs.'),
      factor: some(
        Object.fromEntries(factorNames.map((name) => [name, number])),
        'What the sum is multiplied by, by the way in which a video is made.',
      ),
    },
    {
      optional: ['input_second', 'input_second_assumed', 'reference', 'clip', 'minimum', 'factor'],
      description:
        'What a video costs, in quota: the sum of all that is given. What is absent costs nothing.',
    },
  ),
);

const choice = (description: string): Schema =>
  described(
    named(
      'Choice',
      schemaOf({
        allowed: listOf(text),
        default: described(text, 'What a request that names none gets.'),
      }),
    ),
    description,
  );

const parameters = named(
  'VideoParameters',
  schemaOf(
    {
      duration: schemaOf(
        {
          min: count,
          max: count,
          default: described(whole, 'What a request that names none gets; -1: the model decides.'),
          auto: described(flag, 'Whether -1, the model’s own choice, may be asked for.'),
        },
        { description: 'Seconds.' },
      ),
      ratio: choice('Values of `ratio`.'),
      resolution: choice('Values of `resolution`.'),
      references: schemaOf(
        { image: count, video: count, audio: count },
        { description: 'Most references of each kind.' },
      ),
      frames: described(listOf(oneOf(frameRoles)), 'Frames that a video may be given.'),
      unsupported: described(listOf(oneOf(optionalFields)), 'Fields that the model refuses.'),
      options: described(
        listOf(named('VideoOption', oneOf(videoOptions))),
        'What may be asked for beside the usual: a `service_tier`, `draft`, `priority` or `task`.',
      ),
      prompt_max_characters: count,
    },
    { description: 'What a creation may ask of the model.' },
  ),
);

const model = (name: string, kind: 'text' | 'video', fields: Readonly<Record<string, Schema>>) =>
  named(name, schemaOf<Record<string, unknown>>({ ...common, kind: constant(kind), ...fields }));

const mostTokens = orNull(count);

/** Models: components of the document. */
export const modelSchemas: Readonly<Record<string, Schema>> = {
  Model: {
    ...eitherOf('kind', [
      model('TextModel', 'text', {
        max_input_tokens: described(mostTokens, 'Tokens of the context; null: not known.'),
        max_tokens: described(mostTokens, 'The same as `max_output_tokens`.'),
        max_output_tokens: described(mostTokens, 'Tokens of a completion; null: not known.'),
        price: described(orNull(textPrice), 'Null: it is not charged.'),
      }),
      model('VideoModel', 'video', { parameters, price: videoPrice }),
    ]),
    description: 'A model that the key may use. `kind` says what it makes.',
  },
  ModelList: pageOf(ref('Model')),
};
