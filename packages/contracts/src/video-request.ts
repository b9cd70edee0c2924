import type { ValidateFunction } from 'ajv';
import { GatewayError } from '@gateway/domain';
import { boundsViolations } from './body-bounds.ts';
import type { OptionalField, VideoModel } from './configuration.ts';
import type { MediaKind, VideoRequest } from './task.ts';
import { ratiosAt, sizeOf, type VideoFormat } from './video-format.ts';
import { readReferences, type WrittenReference } from './video-references.ts';
import {
  schemaForModel,
  videoRequestSchema,
  type ContentItem,
  type VideoRequestBody,
} from './video-request-schema.ts';
import { createAjv, requestError, violationsOf, type Violation } from './violation.ts';

/** What a vendor's wire format can express; a table in each provider. */
export interface VendorCapabilities {
  /**
   * Tokens in a prompt that this vendor reads as parameters, which could change what was priced.
   */
  readonly promptFlags: RegExp | undefined;
  /** Kinds of reference that may come inline, as a `data:` URL. */
  readonly inlineKinds: readonly MediaKind[];
  /** Kinds of reference that may come as an address; all when left out. */
  readonly urlKinds?: readonly MediaKind[];
  /**
   * Most bytes, before base64, that one request may carry inline; what bodies usually hold when
   * left out.
   */
  readonly inlineMaxBytes?: number;
  /** False for a vendor that never gives a last frame. */
  readonly lastFrame?: boolean;
  /** Of a format that has no words for every length and picture that a model allows. */
  readonly format?: VideoFormat;
  /** Audio references need an image or a video beside them. */
  readonly audioNeedsPicture: boolean;
  /** The ratio `adaptive` follows a reference, and is refused without one. */
  readonly adaptiveNeedsReference?: boolean;
}

/**
 * Checks that need more than the body: each answers undefined, or the problem in words that
 * continue the field’s name: "must be …".
 */
export interface AddressChecks {
  readonly callbackUrl: (text: string) => string | undefined;
  readonly referenceUrl: (text: string) => string | undefined;
  readonly dataUrl: (text: string, reference: WrittenReference) => string | undefined;
}

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
}

/**
 * Reads the body of `POST /v1/videos` in either format into one normalised request. Throws a
 * GatewayError with every violation; `model_not_found` (404) for a model that is not configured.
 */
export function createVideoRequestReader({
  models,
  capabilitiesOf,
  checks,
}: VideoRequestReaderOptions): (body: unknown) => ReadVideoRequest {
  const ajv = createAjv();
  const validateShape = ajv.compile(videoRequestSchema);
  const validators = new Map<string, ValidateFunction>(
    [...models].map(([name, model]) => [
      name,
      ajv.compile(schemaForModel(model, capabilitiesOf(model).format)),
    ]),
  );
  return (value) => {
    refuse(boundsViolations(value));
    const name = (value as { model?: unknown } | null | undefined)?.model;
    const model = typeof name === 'string' ? models.get(name) : undefined;
    const validate = (model && validators.get(model.name)) ?? validateShape;
    const shape = [...pairViolations(value), ...violationsOf(validate, value)];
    if (model === undefined && typeof name === 'string' && name !== '' && shape.length === 0) {
      throw new GatewayError(
        'model_not_found',
        `model ${JSON.stringify(name.slice(0, 100))} does not exist; video models here: ${[...models.keys()].slice(0, 20).join(', ')}`,
        { param: 'model' },
      );
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

/** The vendor is not asked for what we make ourselves; the worker sees by this that it has to. */
const isCut = (model: VideoModel): boolean => model.lastFrame === 'extract';

/** The first of a field's names that was sent, or the default. */
const given = <Value>(sent: readonly (Value | undefined)[], otherwise: Value): Value =>
  sent.find((value) => value !== undefined) ?? otherwise;

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

const promptOf = (body: VideoRequestBody): string =>
  body.prompt ??
  (body.content ?? []).flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n');

function promptViolations(
  body: VideoRequestBody,
  prompt: string,
  { model, capabilities }: { model: VideoModel; capabilities: VendorCapabilities },
): Violation[] {
  const { content, param } =
    body.content === undefined
      ? { content: undefined, param: 'prompt' }
      : { content: body.content, param: 'content' };
  const flag = vendorFlag(prompt, capabilities);
  const blank = prompt.trim() === '';
  const rules: readonly Rule[] = [
    ...(content === undefined
      ? ownFormatRules(body, blank)
      : contentRules(content, { blank, model })),
    [
      prompt.length > model.promptMaxCharacters,
      'invalid_parameter',
      `${param} must have a text of at most ${model.promptMaxCharacters} characters; got ${prompt.length}`,
    ],
    [
      flag !== undefined,
      'invalid_parameter',
      `${param} must not contain the vendor flag ${JSON.stringify(flag ?? '')}; use the fields of the request (ratio, duration, resolution, seed, watermark)`,
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, code, message]) => ({ code, param, message }));
}

type Rule = readonly [broken: boolean, code: Violation['code'], message: string];

const ownFormatRules = ({ prompt }: VideoRequestBody, blank: boolean): Rule[] => [
  [
    prompt === undefined,
    'missing_parameter',
    'prompt is required (or content, in the other format)',
  ],
  [prompt !== undefined && blank, 'invalid_parameter', 'prompt must not be empty'],
];

function contentRules(
  content: readonly ContentItem[],
  { blank, model }: { blank: boolean; model: VideoModel },
): Rule[] {
  const texts = content.filter(({ type }) => type === 'text').length;
  return [
    [
      texts === 0 && !model.mediaOnly,
      'missing_parameter',
      'content must hold exactly one item of type text',
    ],
    [texts === 1 && blank, 'invalid_parameter', 'content must hold a text that is not blank'],
    [
      texts > 1,
      'invalid_parameter',
      `content must hold exactly one item of type text; got ${texts}`,
    ],
  ];
}

const vendorFlag = (prompt: string, { promptFlags }: VendorCapabilities): string | undefined =>
  promptFlags?.exec(prompt)?.[0].trim();

function sourceViolations(
  references: readonly WrittenReference[],
  { capabilities, checks }: { capabilities: VendorCapabilities; checks: AddressChecks },
): Violation[] {
  return references.flatMap((reference): Violation[] => {
    const { type, text } = reference.source;
    if (type === 'data' && !capabilities.inlineKinds.includes(reference.kind)) {
      return [
        {
          code: 'unsupported_parameter',
          param: reference.param,
          message: `${reference.param} must be a URL or an asset id: this model takes no ${reference.kind} as a data: URL`,
        },
      ];
    }
    if (type === 'asset') return [];
    if (type === 'url' && capabilities.urlKinds?.includes(reference.kind) === false) {
      return [
        {
          code: 'unsupported_parameter',
          param: reference.param,
          message: `${reference.param} must be an asset id or a data: URL: this model's vendor fetches no ${reference.kind} from an address`,
        },
      ];
    }
    const problem = type === 'url' ? checks.referenceUrl(text) : checks.dataUrl(text, reference);
    return problem === undefined
      ? []
      : [
          {
            code: 'invalid_parameter',
            param: reference.param,
            message: `${reference.param} ${problem}`,
          },
        ];
  });
}

function audioViolations(
  references: readonly WrittenReference[],
  { audioNeedsPicture }: VendorCapabilities,
): Violation[] {
  const [first] = references;
  if (
    !audioNeedsPicture ||
    first === undefined ||
    references.some(({ kind }) => kind !== 'audio')
  ) {
    return [];
  }
  return [
    {
      code: 'invalid_parameter',
      param: first.param,
      message: `${first.param}: an audio reference needs an image or a video beside it`,
    },
  ];
}

function adaptiveViolations(
  { ratio, aspect_ratio: aspectRatio }: VideoRequestBody,
  {
    model,
    references,
    capabilities,
  }: {
    model: VideoModel;
    references: readonly WrittenReference[];
    capabilities: VendorCapabilities;
  },
): Violation[] {
  if (
    capabilities.adaptiveNeedsReference !== true ||
    references.length > 0 ||
    given([ratio, aspectRatio], model.ratio.default) !== 'adaptive'
  ) {
    return [];
  }
  const param = aspectRatio === undefined ? 'ratio' : 'aspect_ratio';
  const others = model.ratio.allowed.filter((value) => value !== 'adaptive').join(', ');
  return [
    {
      code: 'invalid_parameter',
      param,
      message: `${param} must be one of ${others} without a reference: adaptive takes the ratio of a reference`,
    },
  ];
}

/**
 * A format that has one word for the picture has no word for every pair of a resolution and a
 * ratio.
 */
function sizeViolations(
  body: VideoRequestBody,
  { model, capabilities: { format } }: { model: VideoModel; capabilities: VendorCapabilities },
): Violation[] {
  const resolution = given([body.resolution], model.resolution.default);
  const ratio = given([body.ratio, body.aspect_ratio], model.ratio.default);
  if (format === undefined || sizeOf(format, { resolution, ratio }) !== undefined) return [];
  const param = body.aspect_ratio !== undefined ? 'aspect_ratio' : 'ratio';
  const possible = ratiosAt(format, resolution).filter((value) =>
    model.ratio.allowed.includes(value),
  );
  return [
    {
      code: 'invalid_parameter',
      param,
      message: `${param} must be one of ${possible.map((value) => JSON.stringify(value)).join(', ')} at the resolution ${JSON.stringify(resolution)}; got ${JSON.stringify(ratio)}`,
    },
  ];
}

function unsupportedViolations(
  body: VideoRequestBody,
  { model, capabilities }: { model: VideoModel; capabilities: VendorCapabilities },
): Violation[] {
  const given: Record<OptionalField, string | undefined> = {
    seed: body.seed === undefined ? undefined : 'seed',
    watermark:
      body.watermark === undefined
        ? body.aigc_watermark === undefined
          ? undefined
          : 'aigc_watermark'
        : 'watermark',
    generate_audio: body.generate_audio === undefined ? undefined : 'generate_audio',
    return_last_frame: body.return_last_frame === true ? 'return_last_frame' : undefined,
  };
  const hasNoLastFrame = capabilities.lastFrame === false && !isCut(model);
  const unsupported = new Set<OptionalField>([
    ...model.unsupported,
    ...(hasNoLastFrame ? (['return_last_frame'] as const) : []),
  ]);
  return [...unsupported].flatMap((field): Violation[] => {
    const param = given[field];
    return param === undefined
      ? []
      : [
          {
            code: 'unsupported_parameter',
            param,
            message: `${param} is not supported by ${model.name}; leave it out`,
          },
        ];
  });
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
