import type { ValidateFunction } from 'ajv';
import { GatewayError } from '@gateway/domain';
import { createAjv } from './ajv.ts';
import { boundsViolations } from './body-bounds.ts';
import type { VideoModel } from './configuration.ts';
import { isRetired, namesInService, retiredSentence } from './retirement.ts';
import type { VideoRequest } from './task.ts';
import { readReferences, type WrittenReference } from './video-references.ts';
import {
  adaptiveViolations,
  given,
  isCut,
  sizeViolations,
  unsupportedViolations,
} from './video-request-fields.ts';
import { promptOf, promptViolations } from './video-request-prompt.ts';
import {
  audioViolations,
  sourceViolations,
  type AddressChecks,
} from './video-request-references.ts';
import {
  schemaForModel,
  videoRequestSchema,
  type VideoRequestBody,
} from './video-request-schema.ts';
import type { VendorCapabilities } from './video-vendors.ts';
import { requestError, violationsOf, type Violation } from './violation.ts';

/**
 * A request that passed: the normalised form, still with references as they were written. Assets
 * are not looked up yet.
 */
export interface ReadVideoRequest {
  readonly model: VideoModel;
  readonly request: VideoRequest<WrittenReference>;
  readonly callbackUrl: string | null;
}

export interface VideoRequestReaderOptions {
  readonly models: ReadonlyMap<string, VideoModel>;
  readonly capabilitiesOf: (model: VideoModel) => VendorCapabilities;
  readonly checks: AddressChecks;
  /** Tells which models are retired. */
  readonly clock: { now(): number };
}

/**
 * Reads the body of `POST /v1/videos` in either format into one normalised request. Throws a
 * GatewayError with every violation; `model_not_found` (404) for a model that is not configured or
 * retired.
 */
export function createVideoRequestReader({
  models,
  capabilitiesOf,
  checks,
  clock,
}: VideoRequestReaderOptions): (body: unknown) => ReadVideoRequest {
  const ajv = createAjv();
  const validateShape = ajv.compile(videoRequestSchema);
  const validators = new Map<string, ValidateFunction>(
    [...models].map(([name, model]) => [
      name,
      ajv.compile(schemaForModel(model, capabilitiesOf(model).format)),
    ]),
  );
  const modelNamed = (name: string): VideoModel | undefined => {
    const model = models.get(name);
    return model === undefined || isRetired(model, clock.now()) ? undefined : model;
  };
  return (value) => {
    refuse(boundsViolations(value));
    const name = (value as { model?: unknown } | null | undefined)?.model;
    const model = typeof name === 'string' ? modelNamed(name) : undefined;
    const validate = (model && validators.get(model.name)) ?? validateShape;
    const shape = [...pairViolations(value), ...violationsOf(validate, value)];
    if (model === undefined && typeof name === 'string' && name !== '' && shape.length === 0) {
      throw unknownModel(name, models, clock.now());
    }
    refuse(shape);
    if (model === undefined) {
      throw new GatewayError('missing_parameter', 'model is required', { param: 'model' });
    }
    return readFor(model, value as VideoRequestBody, {
      capabilities: capabilitiesOf(model),
      checks,
    });
  };
}

function unknownModel(
  name: string,
  models: VideoRequestReaderOptions['models'],
  nowMs: number,
): GatewayError {
  const known = models.get(name);
  const what = `model ${JSON.stringify(name.slice(0, 100))}`;
  const others = namesInService(models.values(), nowMs).slice(0, 20).join(', ');
  return new GatewayError(
    'model_not_found',
    `${known === undefined ? `${what} does not exist` : retiredSentence(what, known)}; video models here: ${others}`,
    { param: 'model' },
  );
}

function readFor(
  model: VideoModel,
  body: VideoRequestBody,
  { capabilities, checks }: { capabilities: VendorCapabilities; checks: AddressChecks },
): ReadVideoRequest {
  const { references, violations } = readReferences(body, model);
  const prompt = promptOf(body);
  refuse([
    ...promptViolations(body, prompt, { model, capabilities }),
    ...violations,
    ...(violations.length > 0 ? [] : sourceViolations(references, { capabilities, checks })),
    ...audioViolations(references, capabilities),
    ...adaptiveViolations(body, { model, references, capabilities }),
    ...sizeViolations(body, { model, capabilities }),
    ...unsupportedViolations(body, { model, capabilities }),
    ...callbackViolations(body, checks),
  ]);
  return {
    model,
    request: normalise(body, { model, prompt, references }),
    callbackUrl: body.callback_url ?? null,
  };
}

function normalise(
  body: VideoRequestBody,
  {
    model,
    prompt,
    references,
  }: { model: VideoModel; prompt: string; references: WrittenReference[] },
): VideoRequest<WrittenReference> {
  return {
    prompt,
    references,
    ratio: given([body.ratio, body.aspect_ratio], model.ratio.default),
    duration: given([body.duration], model.duration.default),
    resolution: given([body.resolution], model.resolution.default),
    watermark: given([body.watermark, body.aigc_watermark], false),
    seed: body.seed ?? null,
    generateAudio: given([body.generate_audio], model.generateAudioByDefault),
    returnLastFrame: given([body.return_last_frame], false),
    metadata: given([body.metadata], {}),
    unsupported: isCut(model) ? [...model.unsupported, 'return_last_frame'] : model.unsupported,
  };
}

const aliasPairs = [
  ['ratio', 'aspect_ratio'],
  ['watermark', 'aigc_watermark'],
] as const;

/** The three conditions of the interface document that are about two fields at once. */
function pairViolations(value: unknown): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  const has = (field: string): boolean => Object.hasOwn(value, field);
  const mixed = has('content') ? (['prompt', 'references'] as const).filter(has) : [];
  const [other] = mixed;
  return [
    ...(other === undefined
      ? []
      : [
          {
            code: 'mixed_formats',
            param: other,
            message: `content and ${mixed.join(' and ')} belong to two different formats; send either content, or prompt with references`,
          } as const,
        ]),
    ...aliasPairs
      .filter(([one, two]) => has(one) && has(two))
      .map(
        ([one, two]) =>
          ({
            code: 'conflicting_aliases',
            param: two,
            message: `${one} and ${two} are two names of one field; send only one of them`,
          }) as const,
      ),
  ];
}

function callbackViolations(
  { callback_url: url }: VideoRequestBody,
  checks: AddressChecks,
): Violation[] {
  const problem = url === undefined ? undefined : checks.callbackUrl(url);
  return problem === undefined
    ? []
    : [{ code: 'invalid_callback_url', param: 'callback_url', message: `callback_url ${problem}` }];
}

function refuse(violations: readonly Violation[]): void {
  const [first, ...rest] = violations;
  if (first !== undefined) throw requestError([first, ...rest]);
}
