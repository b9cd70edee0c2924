import { GatewayError } from '@gateway/domain';
import { boundsViolations } from './body-bounds.ts';
import { compileAll } from './compiled-schemas.ts';
import type { VideoModel, VideoRoute } from './configuration.ts';
import { isRetired, namesInService, retiredSentence } from './retirement.ts';
import type { VideoRequest } from './task.ts';
import { optionalFields, type OptionalField } from './video-fields.ts';
import { readReferences, type WrittenReference } from './video-references.ts';
import {
  adaptiveViolations,
  given,
  isCut,
  sentFields,
  sizeViolations,
  unsupportedViolations,
} from './video-request-fields.ts';
import { fixedFields, optionViolations, requestedOptions } from './video-request-options.ts';
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
import { commonCapabilities, refusalOfAll, routeProblems } from './video-routes.ts';
import type { VendorCapabilities } from './video-vendors.ts';
import { requestError, violationsOf, type Violation } from './violation.ts';

/**
 * A request that passed: the normalised form, still with references as they were written. Assets
 * are not looked up yet.
 */
export interface ReadVideoRequest {
  readonly model: VideoModel;
  /** The routes that can do what is asked for, in the model's order; at least one. */
  readonly routes: readonly VideoRoute[];
  readonly request: VideoRequest<WrittenReference>;
  readonly callbackUrl: string | null;
}

export interface VideoRequestReaderOptions {
  readonly models: ReadonlyMap<string, VideoModel>;
  readonly capabilitiesOf: (route: VideoRoute) => VendorCapabilities;
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
  const capabilitiesFor = ({ routes: [first, ...others] }: VideoModel): VendorCapabilities => {
    if (first === undefined) throw new Error('a model has at least one route');
    return commonCapabilities([capabilitiesOf(first), ...others.map(capabilitiesOf)]);
  };
  const [validateShape, ...validateModels] = compileAll([
    videoRequestSchema,
    ...[...models.values()].map((model) => schemaForModel(model, capabilitiesFor(model).format)),
  ]);
  const validators = new Map(
    [...models.keys()].map((name, index) => [name, validateModels[index]]),
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
    const body = value as VideoRequestBody;
    const read = readFor(model, body, { capabilities: capabilitiesFor(model), checks });
    return { ...read, routes: routesFor(body, read, { capabilitiesOf, nowMs: clock.now() }) };
  };
}

/**
 * The routes that can do all of it; with a single one everything has been judged. What an asset is
 * delivered as depends on the file, so that is left to whoever looks it up.
 */
function routesFor(
  body: VideoRequestBody,
  { model, request }: Pick<ReadVideoRequest, 'model' | 'request'>,
  {
    capabilitiesOf,
    nowMs,
  }: Pick<VideoRequestReaderOptions, 'capabilitiesOf'> & { readonly nowMs: number },
): readonly VideoRoute[] {
  if (model.routes.length === 1) return model.routes;
  const names = {
    ratio: body.aspect_ratio === undefined ? 'ratio' : 'aspect_ratio',
    prompt: body.content === undefined ? 'prompt' : 'content',
    watermark: sentFields(body).watermark ?? 'watermark',
  };
  const judged = model.routes
    .filter((route) => !isRetired(route, nowMs))
    .map((route) => {
      const vendor = { capabilities: capabilitiesOf(route), canFetch: true };
      return { route, problems: routeProblems({ request, model, route, vendor, names }) };
    });
  const able = judged.filter(({ problems }) => problems.length === 0).map(({ route }) => route);
  if (able.length === 0) {
    refuse(
      refusalOfAll(
        model.name,
        judged.map(({ problems }) => problems),
      ),
    );
  }
  return able;
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
): Omit<ReadVideoRequest, 'routes'> {
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
    ...optionViolations(body, { model, capabilities, references }),
    ...callbackViolations(body, checks),
  ]);
  return {
    model,
    request: normalise(body, { model, capabilities, prompt, references }),
    callbackUrl: body.callback_url ?? null,
  };
}

function normalise(
  body: VideoRequestBody,
  {
    model,
    capabilities,
    prompt,
    references,
  }: {
    model: VideoModel;
    capabilities: VendorCapabilities;
    prompt: string;
    references: WrittenReference[];
  },
): VideoRequest<WrittenReference> {
  const fixed = fixedFields(body, capabilities);
  return {
    prompt,
    references,
    ratio: given([body.ratio, body.aspect_ratio, fixed.ratio], model.ratio.default),
    duration: given([body.duration, fixed.duration], model.duration.default),
    resolution: given([body.resolution, fixed.resolution], model.resolution.default),
    watermark: given([body.watermark, body.aigc_watermark], false),
    seed: body.seed ?? null,
    generateAudio: given([body.generate_audio], model.generateAudioByDefault),
    returnLastFrame: given([body.return_last_frame], false),
    metadata: given([body.metadata], {}),
    ...requestedOptions(body),
    unsupported: isCut(model) ? [...model.unsupported, 'return_last_frame'] : model.unsupported,
    ...(model.routes.length > 1 && { needs: needsIn(body) }),
  };
}

function needsIn(body: VideoRequestBody): OptionalField[] {
  const sent = sentFields(body);
  return optionalFields.filter((field) => sent[field] !== undefined);
}

const aliasPairs = [
  ['ratio', 'aspect_ratio'],
  ['watermark', 'aigc_watermark'],
] as const;
const otherFormat = ['prompt', 'references'] as const;

/** Fields of which a request has at most one. */
export const exclusivePairs: readonly (readonly [string, string])[] = [
  ...otherFormat.map((field) => ['content', field] as const),
  ...aliasPairs,
];

/** The three conditions of the interface document that are about two fields at once. */
function pairViolations(value: unknown): Violation[] {
  if (typeof value !== 'object' || value === null) return [];
  const has = (field: string): boolean => Object.hasOwn(value, field);
  const mixed = has('content') ? otherFormat.filter(has) : [];
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
