import { ratios, type Ratio } from '../render/video-spec.ts';
import type { ContentMode } from './content-modes.ts';
import type { CreateBody } from './create-schema.ts';
import { ArkError } from './errors.ts';
import { resolutions, type Parameters, type Resolution } from '../tasks/parameters.ts';
import type { Model, ModelField } from './models.ts';

export interface ParameterRules {
  /** Documented: 3600; less is useful in tests. */
  readonly minExpiresAfterSeconds: number;
  readonly random: () => number;
}

const defaultExpiresAfterSeconds = 172_800;
const maxExpiresAfterSeconds = 259_200;
/** What this vendor decides when the length or the ratio is left to it. */
const ownChoice = { seconds: 5, ratio: '16:9' } as const;

const refuse = (param: string, message: string, detail?: string): ArkError =>
  new ArkError('InvalidParameter', message, { param, ...(detail !== undefined && { detail }) });

const modelFields: readonly ModelField[] = [
  'generate_audio',
  'draft',
  'priority',
  'tools',
  'omni_reference_task_type',
  'output_format',
];

/** Fields of the oldest models, which the sandbox does not offer. */
const foreignFields = ['frames', 'camera_fixed'] as const;

interface Asked {
  readonly body: CreateBody;
  readonly model: Model;
  readonly mode: ContentMode;
}

interface Clash {
  readonly param: keyof CreateBody;
  readonly when: (asked: Asked) => boolean;
  readonly message: string;
  readonly detail?: string;
}

/** Settings that do not go together; the first that holds is returned. */
const clashes: readonly Clash[] = [
  {
    param: 'service_tier',
    when: ({ body, model }) => body.service_tier === 'flex' && !model.flex,
    message: 'This model has no flex tier.',
    detail: 'UnsupportedParameter',
  },
  {
    param: 'output_format',
    when: ({ body }) => body.output_format === 'mov',
    message: 'The sandbox writes mp4 only.',
    detail: 'UnsupportedParameter',
  },
  {
    param: 'tools',
    when: ({ body, mode }) => (body.tools ?? []).length > 0 && mode !== 'text',
    message: 'Tools need a prompt of text only.',
  },
  {
    param: 'return_last_frame',
    when: ({ body }) => body.draft === true && body.return_last_frame === true,
    message: 'A draft has no last frame.',
  },
  {
    param: 'service_tier',
    when: ({ body }) => body.draft === true && body.service_tier === 'flex',
    message: 'A draft has no flex tier.',
  },
];

function checkFields(asked: Asked): void {
  const { body, model } = asked;
  const foreign = [
    ...foreignFields,
    ...modelFields.filter((field) => !model.fields.includes(field)),
  ].find((field) => body[field] !== undefined);
  if (foreign !== undefined) {
    throw refuse(
      foreign,
      `The parameter \`${foreign}\` is not supported by this model.`,
      'UnsupportedParameter',
    );
  }
  const clash = clashes.find(({ when }) => when(asked));
  if (clash !== undefined) throw refuse(clash.param, clash.message, clash.detail);
}

function readRatio(asked: string | undefined, model: Model): Ratio {
  const wanted = asked ?? model.defaultRatio;
  if (wanted === 'adaptive') return ownChoice.ratio;
  const ratio = ratios.find((known) => known === wanted);
  if (ratio === undefined) {
    throw refuse('ratio', `ratio must be one of ${ratios.join(', ')} or adaptive; got ${wanted}.`);
  }
  return ratio;
}

function readResolution(body: CreateBody, model: Model): Resolution {
  if (body.draft === true) return '480p';
  const wanted = body.resolution ?? '720p';
  const resolution = resolutions.find((known) => known === wanted);
  if (resolution === undefined || !model.resolutions.includes(resolution)) {
    throw refuse(
      'resolution',
      `resolution must be one of ${model.resolutions.join(', ')}; got ${wanted}.`,
    );
  }
  return resolution;
}

function readSeconds(
  asked: number | undefined,
  { seconds: { min, max }, defaultSeconds }: Model,
): number {
  const wanted = asked ?? defaultSeconds;
  if (wanted === -1) return ownChoice.seconds;
  if (wanted < min || wanted > max) {
    throw refuse('duration', `duration must be -1 or from ${min} to ${max}; got ${wanted}.`);
  }
  return wanted;
}

function readExpiry(
  asked: number | undefined,
  { minExpiresAfterSeconds: min }: ParameterRules,
): number {
  const wanted = asked ?? defaultExpiresAfterSeconds;
  if (wanted < min || wanted > maxExpiresAfterSeconds) {
    throw refuse(
      'execution_expires_after',
      `execution_expires_after must be from ${min} to ${maxExpiresAfterSeconds}; got ${wanted}.`,
    );
  }
  return wanted;
}

/** Fields that a task shows again as they came. */
const echoed = [
  'draft',
  'priority',
  'tools',
  'omni_reference_task_type',
  'output_format',
  'safety_identifier',
] as const;

/** What is cheaper waits for everything else. */
const offlinePriority = -1;

const defaults = {
  seed: -1,
  watermark: false,
  return_last_frame: false,
  service_tier: 'default',
  priority: 0,
  generate_audio: true,
} as const;

/**
 * Settles every parameter of a creation, or throws the vendor's response to one that the model
 * does not take.
 */
export function resolveParameters(
  body: CreateBody,
  { model, mode }: { model: Model; mode: ContentMode },
  rules: ParameterRules,
): Parameters {
  checkFields({ body, model, mode });
  const asked = { ...defaults, ...body };
  const echo = Object.fromEntries(
    echoed.filter((field) => body[field] !== undefined).map((field) => [field, body[field]]),
  );
  return {
    resolution: readResolution(body, model),
    ratio: readRatio(body.ratio, model),
    seconds: readSeconds(body.duration, model),
    seed: asked.seed === -1 ? Math.floor(rules.random() * 2_147_483_648) : asked.seed,
    watermark: asked.watermark,
    returnLastFrame: asked.return_last_frame,
    serviceTier: asked.service_tier,
    expiresAfterSeconds: readExpiry(body.execution_expires_after, rules),
    priority: asked.service_tier === 'flex' ? offlinePriority : asked.priority,
    echo: model.fields.includes('generate_audio')
      ? { ...echo, generate_audio: asked.generate_audio }
      : echo,
  };
}
