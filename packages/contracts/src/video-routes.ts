import { assetDelivery } from './asset-delivery.ts';
import type { VideoModel, VideoRoute } from './configuration.ts';
import { mediaKinds, type MediaKind } from './media-kind.ts';
import type { ReferenceRole, VideoRequest } from './task.ts';
import type { OptionalField } from './video-fields.ts';
import { askedOf, type VendorOptions } from './video-options.ts';
import { sizeOf } from './video-format.ts';
import { isCut, wrongWithoutReference } from './video-request-fields.ts';
import { vendorFlag } from './video-request-prompt.ts';
import type { VendorCapabilities } from './video-vendors.ts';
import type { Violation } from './violation.ts';

/** A request as a task keeps it, or as it was just read. */
export type RoutedRequest = Omit<VideoRequest<unknown>, 'references'> & {
  readonly references: readonly {
    readonly kind: MediaKind;
    readonly role: ReferenceRole;
    readonly source: { readonly type: 'url' | 'data' | 'stored' | 'asset' | 'task' };
    /** Where the customer wrote it. */
    readonly param?: string;
  }[];
};

/** A route's vendor. `canFetch`: whether it can be expected to reach the gateway's public address. */
export interface RouteVendor {
  readonly capabilities: VendorCapabilities;
  readonly canFetch: boolean;
}

/** Something in a request that a route cannot do. */
export interface RouteProblem {
  readonly code: Extract<Violation['code'], 'invalid_parameter' | 'unsupported_parameter'>;
  readonly param: string;
  /** As it goes after "cannot do". */
  readonly what: string;
}

/** Fields that are sent under two names. */
export interface FieldNames {
  readonly ratio: string;
  readonly prompt: string;
  readonly watermark: string;
}

const ownNames: FieldNames = { ratio: 'ratio', prompt: 'prompt', watermark: 'watermark' };

interface Asked {
  readonly request: RoutedRequest;
  readonly model: Pick<VideoModel, 'lastFrame' | 'generateAudioByDefault' | 'unsupported'>;
  readonly route: Pick<VideoRoute, 'bounds'>;
  readonly vendor: RouteVendor;
  readonly names?: FieldNames;
}

type Rule = readonly [broken: boolean, code: RouteProblem['code'], param: string, what: string];

/** Everything in a request that this route of its model cannot do; nothing: it can have the task. */
export function routeProblems({ names = ownNames, ...asked }: Asked): RouteProblem[] {
  const { request, route } = asked;
  return [
    ...pictureRules({ names, ...asked }),
    ...promptRules({ names, ...asked }),
    ...referenceRules(asked),
    ...neededFields(asked).map((field): Rule => [
      route.bounds.unsupported?.includes(field) === true || lacksLastFrame(field, asked),
      'unsupported_parameter',
      field === 'watermark' ? names.watermark : field,
      field,
    ]),
    ...lengthRules(request, route),
    ...optionRules(request, route),
  ]
    .filter(([broken]) => broken)
    .map(([, code, param, what]) => ({ code, param, what }));
}

function lengthRules(
  { duration }: Pick<RoutedRequest, 'duration'>,
  { bounds: { duration: lengths, format } }: Pick<VideoRoute, 'bounds'>,
): Rule[] {
  const isChosen = duration === -1;
  return [
    [
      isChosen
        ? lengths?.auto === false || format !== undefined
        : (lengths !== undefined && (duration < lengths.min || duration > lengths.max)) ||
          format?.seconds.includes(duration) === false,
      'invalid_parameter',
      'duration',
      isChosen ? 'a length of its own choice' : `a length of ${duration} seconds`,
    ],
  ];
}

/** An option that fixes fields fixed them for a route that may not be this one. */
const optionRules = (request: RoutedRequest, { bounds }: Pick<VideoRoute, 'bounds'>): Rule[] =>
  askedOf(request).map(({ option, param }) => {
    const rules = bounds.options?.[option];
    const { resolution, ratio, duration } = rules?.fixes ?? {};
    const isOther = [
      [resolution, request.resolution],
      [ratio, request.ratio],
      [duration, request.duration],
    ].some(([fixed, value]) => fixed !== undefined && fixed !== value);
    return [rules === undefined || isOther, 'unsupported_parameter', param, `the option ${option}`];
  });

function pictureRules({ request, route, vendor, names }: Asked & { names: FieldNames }): Rule[] {
  const { ratio, resolution, references } = request;
  const { ratios, resolutions, format } = route.bounds;
  return [
    [
      resolutions?.includes(resolution) === false,
      'invalid_parameter',
      'resolution',
      `the resolution ${resolution}`,
    ],
    [
      ratios?.includes(ratio) === false ||
        (format !== undefined && sizeOf(format, { resolution, ratio }) === undefined),
      'invalid_parameter',
      names.ratio,
      `the ratio ${ratio} at ${resolution}`,
    ],
    [
      wrongWithoutReference(ratio, references, vendor.capabilities),
      'invalid_parameter',
      names.ratio,
      `the ratio ${ratio} without a reference`,
    ],
  ];
}

function promptRules({ request, route, vendor, names }: Asked & { names: FieldNames }): Rule[] {
  const { prompt } = request;
  const { promptMaxCharacters: most = Infinity, mediaOnly } = route.bounds;
  const flag = vendorFlag(prompt, vendor.capabilities);
  return [
    [
      prompt.length > most,
      'invalid_parameter',
      names.prompt,
      `a text of ${prompt.length} characters`,
    ],
    [
      flag !== undefined,
      'invalid_parameter',
      names.prompt,
      `a text with the vendor flag ${JSON.stringify(flag ?? '')}`,
    ],
    [
      mediaOnly === false && prompt.trim() === '',
      'invalid_parameter',
      names.prompt,
      'a video without a text',
    ],
  ];
}

function referenceRules({ request: { references }, route, vendor }: Asked): Rule[] {
  const { references: most, frames } = route.bounds;
  const { capabilities } = vendor;
  const paramOf = (index: number): string => references[index]?.param ?? 'references';
  const counted = mediaKinds.map((kind): Rule => {
    const own = references.flatMap(({ role }, index) =>
      role === `reference_${kind}` ? [index] : [],
    );
    const limit = most?.[kind] ?? Infinity;
    return [
      own.length > limit,
      'unsupported_parameter',
      paramOf(own[limit] ?? 0),
      `${own.length} reference ${kind}s`,
    ];
  });
  return [
    ...counted,
    ...references.flatMap(({ kind, role, source }, index): Rule[] => [
      [
        (role === 'first_frame' || role === 'last_frame') && frames?.includes(role) === false,
        'unsupported_parameter',
        paramOf(index),
        `the role ${role}`,
      ],
      [
        !takes(kind, source.type, vendor),
        'unsupported_parameter',
        paramOf(index),
        `a reference ${kind} ${sourceInWords[source.type]}`,
      ],
    ]),
    [
      capabilities.audioNeedsPicture &&
        references.length > 0 &&
        references.every(({ kind }) => kind === 'audio'),
      'invalid_parameter',
      paramOf(0),
      'an audio reference without an image or a video beside it',
    ],
  ];
}

const sourceInWords = {
  url: 'from an address',
  data: 'as a data: URL',
  stored: 'as a data: URL',
  asset: 'from an asset',
  task: 'from an own video',
} as const;

function takes(
  kind: MediaKind,
  type: keyof typeof sourceInWords,
  { capabilities, canFetch }: RouteVendor,
): boolean {
  if (type === 'url') return capabilities.urlKinds?.includes(kind) !== false;
  if (type === 'asset' || type === 'task') {
    return assetDelivery(kind, { capabilities, canFetch }) !== undefined;
  }
  return capabilities.inlineKinds.includes(kind);
}

/** The fields that its vendor must know, less those that no route of the model needs to. */
const neededFields = ({ request, model }: Asked): OptionalField[] =>
  needsOf(request, model).filter((field) => !model.unsupported.includes(field));

/** A task of a model that had one route alone does not say which fields its customer sent. */
function needsOf(
  { needs, seed, watermark, generateAudio, returnLastFrame }: RoutedRequest,
  { generateAudioByDefault }: Asked['model'],
): readonly OptionalField[] {
  if (needs !== undefined) return needs;
  const sent: Readonly<Record<OptionalField, boolean>> = {
    seed: seed !== null,
    watermark,
    generate_audio: generateAudio !== generateAudioByDefault,
    return_last_frame: returnLastFrame,
  };
  return (Object.keys(sent) as OptionalField[]).filter((field) => sent[field]);
}

const lacksLastFrame = (field: OptionalField, { model, route, vendor }: Asked): boolean =>
  field === 'return_last_frame' &&
  !isCut(model) &&
  (route.bounds.lastFrame === false || vendor.capabilities.lastFrame === false);

/** What no route of the model can do: each problem that all of them have, or all of them as one. */
export function refusalOfAll(
  model: string,
  found: readonly (readonly RouteProblem[])[],
): [Violation, ...Violation[]] {
  const [first = [], ...others] = found;
  const shared = first.filter(({ param }) =>
    others.every((problems) => problems.some((problem) => problem.param === param)),
  );
  const [one, ...more] = shared.map(({ code, param, what }): Violation => ({
    code,
    param,
    message: `${param}: ${model} cannot do ${what}`,
  }));
  if (one !== undefined) return [one, ...more];
  const parts = [...new Set(found.flatMap(([problem]) => (problem ? [problem.what] : [])))];
  const param = first[0]?.param ?? null;
  return [
    {
      code: 'invalid_parameter',
      param,
      message: `${param ?? 'the body'}: ${model} cannot do this in one video: ${parts.join('; ')}; leave one of it out`,
    },
  ];
}

/** What is refused whoever of these vendors gets the task; the rest is judged route by route. */
export function commonCapabilities(
  of: readonly [VendorCapabilities, ...VendorCapabilities[]],
): VendorCapabilities {
  const [first, ...others] = of;
  if (others.length === 0) return first;
  return {
    promptFlags: undefined,
    inlineKinds: mediaKinds.filter((kind) => of.some((one) => one.inlineKinds.includes(kind))),
    audioNeedsPicture: of.every((one) => one.audioNeedsPicture),
    options: Object.assign({}, ...of.map(({ options }) => options)) as VendorOptions,
  };
}
