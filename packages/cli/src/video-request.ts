import path from 'node:path';
import type { VideoRequest } from '@gateway/client';
import type { Given, Option } from './command.ts';
import { UsageError } from './exit-codes.ts';

type Reference = NonNullable<VideoRequest['references']>[number];

/** An image, clip or sound that a video is made from, before it has been uploaded. */
export interface GivenReference {
  readonly type: Reference['type'];
  readonly role?: Reference['role'];
  /** A file, an address, or the id of an asset or video. */
  readonly from: string;
  readonly isFile: boolean;
}

/** What the command line asks for. */
export interface GivenVideo {
  /** Undefined: the first model that makes videos. */
  readonly model: string | undefined;
  readonly body: Omit<VideoRequest, 'model' | 'references' | 'content'>;
  readonly references: readonly GivenReference[];
}

const file = { value: 'FILE', words: 'files' } as const;

/** Options that say what the video is to be. */
export const videoOptions: Readonly<Record<string, Option>> = {
  model: {
    value: 'NAME',
    short: 'm',
    help: 'see "gw models"; by default the first that makes videos',
  },
  duration: {
    value: 'SECONDS',
    short: 'd',
    help: 'length; -1 lets the model decide, where it can',
  },
  ratio: { value: 'W:H', help: 'such as 16:9', words: ['16:9', '9:16', '1:1'] },
  resolution: { value: 'NAME', help: 'such as 720p', words: ['480p', '720p', '1080p'] },
  image: { ...file, multiple: true, help: 'picture to make the video from: file, URL or id' },
  'first-frame': { ...file, help: 'picture that the video begins with' },
  'last-frame': { ...file, help: 'picture that the video ends with' },
  video: { ...file, multiple: true, help: 'clip to make the video from' },
  audio: { ...file, multiple: true, help: 'sound to make the video from' },
  sound: { help: 'make a video with sound' },
  'no-sound': { help: 'make a video without sound' },
  seed: { value: 'NUMBER', help: 'the same seed makes a similar video' },
  watermark: { help: 'mark the video as made by a machine' },
  'return-last-frame': { help: 'keep the last frame as a picture too' },
  tier: { value: 'NAME', help: 'service tier', words: ['standard', 'flex'] },
  draft: { help: 'a cheaper draft, where the model makes one' },
  priority: { value: '0-9', help: 'larger is sooner, where the model has priorities' },
  task: { value: 'NAME', help: 'what to do with the clip of --video', words: ['extend', 'edit'] },
  'callback-url': { value: 'URL', help: 'address that is told of every status' },
  metadata: { value: 'NAME=VALUE', multiple: true, help: 'your own note, shown with the video' },
};

/** The request that a command line stands for. */
export function videoOf(given: Given): GivenVideo {
  if (given.flag('sound') && given.flag('no-sound')) {
    throw new UsageError('--sound and --no-sound exclude each other.');
  }
  const prompt = given.argument;
  const references = referencesOf(given);
  if (prompt === undefined && references.length === 0) {
    throw new UsageError('Say what the video shows: gw video "a red balloon".');
  }
  const sound = given.flag('sound') ? true : given.flag('no-sound') ? false : undefined;
  return {
    model: given.text('model'),
    references,
    body: withoutUndefined({
      prompt,
      duration: given.whole('duration'),
      ratio: given.text('ratio'),
      resolution: given.text('resolution'),
      seed: given.whole('seed'),
      generate_audio: sound,
      watermark: given.flag('watermark') || undefined,
      return_last_frame: given.flag('return-last-frame') || undefined,
      service_tier: given.text('tier') as VideoRequest['service_tier'],
      draft: given.flag('draft') || undefined,
      priority: given.whole('priority'),
      task: given.text('task') as VideoRequest['task'],
      callback_url: given.text('callback-url'),
      metadata: metadataOf(given.texts('metadata')),
    }),
  };
}

type Defined<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> };

const withoutUndefined = <Values extends object>(values: Values): Defined<Values> =>
  Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Defined<Values>;

function referencesOf(given: Given): GivenReference[] {
  const frame = (option: string, role: Reference['role']): GivenReference[] =>
    [given.text(option) ?? []].flat().map((from) => referenceOf('image', from, role));
  const all = (type: Reference['type']): GivenReference[] =>
    given.texts(type).map((from) => referenceOf(type, from));
  return [
    ...frame('first-frame', 'first_frame'),
    ...frame('last-frame', 'last_frame'),
    ...all('image'),
    ...all('video'),
    ...all('audio'),
  ];
}

const elsewhere = /^(?:https?:|data:|(?:asset|video)_[0-9a-z]{26}$)/;

const referenceOf = (
  type: Reference['type'],
  from: string,
  role?: Reference['role'],
): GivenReference => ({
  type,
  from,
  isFile: !elsewhere.test(from),
  ...(role !== undefined && { role }),
});

function metadataOf(pairs: readonly string[]): Record<string, string> | undefined {
  if (pairs.length === 0) return undefined;
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
      if (name === undefined || value === undefined) {
        throw new UsageError(`--metadata takes NAME=VALUE, not "${pair}".`);
      }
      return [name, value];
    }),
  );
}

/** The media type of a file by its name; the gateway looks for itself. */
export const mediaTypeOf = (name: string): string =>
  mediaTypes[path.extname(name).toLowerCase()] ?? 'application/octet-stream';

const mediaTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.mp4': 'video/mp4',
  '.mov': 'video/quicktime',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.m4a': 'audio/mp4',
};
