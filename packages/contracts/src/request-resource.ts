import type { MediaKind } from './media-kind.ts';
import {
  count,
  described,
  flag,
  listOf,
  named,
  oneOf,
  orNull,
  schemaOf,
  text,
  whole,
} from './schema-of.ts';
import { mediaKinds } from './media-kind.ts';
import { referenceRoles, type Reference, type ReferenceRole, type Task } from './task.ts';
import { optionSchemas } from './video-option-schemas.ts';
import { optionFields, type ServiceTier, type VideoTask } from './video-options.ts';

interface RequestedReference {
  readonly type: MediaKind;
  readonly role: ReferenceRole;
  /** As it may be sent again; null for bytes that came inside the request. */
  readonly url: string | null;
  /** Of bytes that are in our own storage. */
  readonly sha256?: string;
  readonly size_bytes?: number;
}

/** What a customer asked for, in the words of `POST /v1/videos`: enough to ask for it again. */
export interface RequestResource {
  /** Null where prompts are not kept and the task is over. */
  readonly prompt: string | null;
  readonly references: readonly RequestedReference[];
  readonly duration: number;
  readonly ratio: string;
  readonly resolution: string;
  readonly watermark: boolean;
  readonly seed: number | null;
  readonly generate_audio: boolean;
  readonly return_last_frame: boolean;
  readonly callback_url: string | null;
  /** Options of some models: only those that were sent. */
  readonly service_tier?: ServiceTier;
  readonly draft?: boolean;
  readonly priority?: number;
  readonly task?: VideoTask;
}

/** What was asked for, for the account that did and nobody else. */
export const requestResource = ({ request, callbackUrl }: Task): RequestResource => ({
  prompt: request.isErased === true ? null : request.prompt,
  references: request.references.map(referenceResource),
  duration: request.duration,
  ratio: request.ratio,
  resolution: request.resolution,
  watermark: request.watermark,
  seed: request.seed,
  generate_audio: request.generateAudio,
  return_last_frame: request.returnLastFrame,
  callback_url: callbackUrl,
  ...optionFields(request),
});

const referenceResource = ({ kind, role, source }: Reference): RequestedReference => ({
  type: kind,
  role,
  url: addressOf(source),
  ...(source.type !== 'url' && { sha256: source.sha256, size_bytes: source.sizeBytes }),
});

function addressOf(source: Reference['source']): string | null {
  switch (source.type) {
    case 'url':
      return source.url;
    case 'asset':
      return source.assetId;
    case 'task':
      return source.taskId;
    case 'stored':
      return null;
  }
}

export const requestResourceSchema = named(
  'RequestedVideo',
  schemaOf<RequestResource>(
    {
      prompt: described(
        orNull(text),
        'Null where the gateway keeps no prompts and the task is over.',
      ),
      references: listOf(
        named(
          'RequestedReference',
          schemaOf<RequestedReference>(
            {
              type: named('MediaKind', oneOf(mediaKinds)),
              role: named('ReferenceRole', oneOf(referenceRoles)),
              url: described(
                orNull(text),
                'An address, or the id of an asset or a video, as it was given; null for bytes that came inside the request.',
              ),
              sha256: described(text, 'Of bytes that the gateway has.'),
              size_bytes: count,
            },
            { optional: ['sha256', 'size_bytes'] },
          ),
        ),
      ),
      duration: described(whole, 'Seconds as asked for; -1 where the model decides.'),
      ratio: text,
      resolution: text,
      watermark: flag,
      seed: orNull(whole),
      generate_audio: flag,
      return_last_frame: flag,
      callback_url: orNull(text),
      ...optionSchemas,
    },
    { optional: ['service_tier', 'draft', 'priority', 'task'] },
  ),
);
