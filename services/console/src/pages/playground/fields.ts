import type { Model, Video, VideoRequest } from '@gateway/client';
import { requestAgain } from '../../parts/request-again.ts';

export type VideoModel = Extract<Model, { kind: 'video' }>;
export type Role = 'reference' | 'first_frame' | 'last_frame';

/** A picture that a video is made from. */
export interface Picture {
  /** Its asset, or an address. */
  readonly url: string;
  readonly name: string;
  readonly role: Role;
  /** Of the file that was dropped here. */
  readonly preview?: string;
}

/** What somebody has chosen; what is left out is each model's own default. */
export interface Draft {
  readonly prompt: string;
  /** -1: the model decides. */
  readonly duration?: number | undefined;
  readonly ratio?: string | undefined;
  readonly resolution?: string | undefined;
  readonly seed: string;
  readonly hasSound: boolean;
  readonly hasWatermark: boolean;
  readonly keepsLastFrame: boolean;
  readonly isFlexible: boolean;
  readonly isDraft: boolean;
  readonly pictures: readonly Picture[];
  /** Of the video that it began with: fields that the form does not have, sent as they were. */
  readonly others: Others;
}

export type Others = Readonly<Record<string, unknown>>;

export const emptyDraft: Draft = {
  prompt: '',
  seed: '',
  hasSound: false,
  hasWatermark: false,
  keepsLastFrame: true,
  isFlexible: false,
  isDraft: false,
  pictures: [],
  others: {},
};

/** What all chosen models take: a field that one of them refuses is not there. */
export interface Fields {
  readonly durations: readonly number[];
  readonly canDecideDuration: boolean;
  /** Where all have the same. */
  readonly usualDuration: number | undefined;
  readonly ratios: readonly string[];
  readonly resolutions: readonly string[];
  readonly hasSeed: boolean;
  readonly hasSound: boolean;
  readonly hasWatermark: boolean;
  readonly hasLastFrame: boolean;
  readonly hasFlex: boolean;
  readonly hasDraft: boolean;
  readonly roles: readonly Role[];
  readonly mostPictures: number;
  readonly longestPrompt: number;
}

/** Which fields the form has for these models, in the words of their parameters. */
export function fieldsOf(models: readonly VideoModel[]): Fields {
  const all = models.map(({ parameters }) => parameters);
  const takes = (field: (typeof all)[number]['unsupported'][number]): boolean =>
    all.every(({ unsupported }) => !unsupported.includes(field));
  const offers = (option: (typeof all)[number]['options'][number]): boolean =>
    all.every(({ options }) => options.includes(option));
  const mostPictures = Math.min(...all.map(({ references }) => references.image));
  return {
    durations: common(models.map(durationsOf)),
    canDecideDuration: all.every(({ duration }) => duration.auto),
    usualDuration: common(all.map(({ duration }) => [duration.default]))[0],
    ratios: common(all.map(({ ratio }) => ratio.allowed)),
    resolutions: common(all.map(({ resolution }) => resolution.allowed)),
    hasSeed: takes('seed'),
    hasSound: takes('generate_audio'),
    hasWatermark: takes('watermark'),
    hasLastFrame: takes('return_last_frame'),
    hasFlex: offers('flex'),
    hasDraft: offers('draft'),
    roles: [
      ...common(all.map(({ frames }) => frames)),
      ...(mostPictures > 0 ? (['reference'] as const) : []),
    ],
    mostPictures,
    longestPrompt: Math.min(...all.map(({ prompt_max_characters: longest }) => longest)),
  };
}

/** Where lengths are sold one by one there are no others. */
function durationsOf({ parameters: { duration }, price: { clip } }: VideoModel): number[] {
  if (clip !== undefined) return Object.keys(clip).map(Number);
  const count = duration.max - duration.min + 1;
  return Array.from({ length: count }, (_none, index) => duration.min + index);
}

/** What is in all of some lists, in the order of the first. */
function common<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const [first = [], ...rest] = lists;
  return first.filter((item) => rest.every((list) => list.includes(item)));
}

/** What is asked of one model. */
export function requestOf(draft: Draft, model: string, fields: Fields): VideoRequest {
  const { duration, ratio, resolution } = draft;
  const seed = Number.parseInt(draft.seed, 10);
  const pictures = draft.pictures.filter(({ role }) => fields.roles.includes(role));
  const { references: kept = [], ...others } = draft.others as Partial<VideoRequest>;
  const references = [
    ...kept,
    ...pictures.map(({ url, role }) => ({
      type: 'image' as const,
      url,
      ...(role !== 'reference' && { role }),
    })),
  ];
  return {
    ...others,
    model,
    prompt: draft.prompt,
    ...(isOffered(duration, fields) && { duration }),
    ...(ratio !== undefined && fields.ratios.includes(ratio) && { ratio }),
    ...(resolution !== undefined && fields.resolutions.includes(resolution) && { resolution }),
    ...(fields.hasSeed && Number.isInteger(seed) && { seed }),
    ...switchesOf(draft, fields),
    ...(references.length > 0 && { references }),
  };
}

const isOffered = (
  duration: number | undefined,
  { durations, canDecideDuration }: Fields,
): duration is number =>
  duration !== undefined &&
  (durations.includes(duration) || (duration === -1 && canDecideDuration));

/** Each switch: whether the form has it, whether it is on, and what it then asks for. */
const switchesOf = (draft: Draft, fields: Fields): Partial<VideoRequest> => {
  const switches: readonly (readonly [boolean, boolean, Partial<VideoRequest>])[] = [
    [fields.hasSound, draft.hasSound, { generate_audio: true }],
    [fields.hasWatermark, draft.hasWatermark, { watermark: true }],
    [fields.hasLastFrame, draft.keepsLastFrame, { return_last_frame: true }],
    [fields.hasFlex, draft.isFlexible, { service_tier: 'flex' }],
    [fields.hasDraft, draft.isDraft, { draft: true }],
  ];
  const wanted = switches.filter(([isThere, isOn]) => isThere && isOn);
  return Object.assign({}, ...wanted.map(([, , field]) => field)) as Partial<VideoRequest>;
};

/** A video's request as a draft, for another take of it. */
export function draftOf(video: Video): Draft {
  const { request } = video;
  if (request === undefined) return emptyDraft;
  return {
    prompt: request.prompt ?? '',
    duration: request.duration,
    ratio: request.ratio,
    resolution: request.resolution,
    seed: request.seed === null ? '' : String(request.seed),
    hasSound: request.generate_audio,
    hasWatermark: request.watermark,
    keepsLastFrame: request.return_last_frame,
    isFlexible: request.service_tier === 'flex',
    isDraft: request.draft === true,
    pictures: request.references.flatMap(({ type, role, url }) =>
      type === 'image' && url !== null ? [{ url, name: url, role: roleOf(role) }] : [],
    ),
    others: othersOf(video),
  };
}

/** What the form shows by fields of its own. */
const shown = new Set([
  'model',
  'prompt',
  'duration',
  'ratio',
  'resolution',
  'seed',
  'generate_audio',
  'watermark',
  'return_last_frame',
  'service_tier',
  'draft',
  'references',
]);

/** Everything else that was asked for, whatever it is. */
function othersOf(video: Video): Others {
  const again = requestAgain(video);
  const unshown = (again.references ?? []).filter(({ type }) => type !== 'image');
  return {
    ...Object.fromEntries(Object.entries(again).filter(([field]) => !shown.has(field))),
    ...(unshown.length > 0 && { references: unshown }),
  };
}

const roleOf = (role: string | null | undefined): Role =>
  role === 'first_frame' || role === 'last_frame' ? role : 'reference';
