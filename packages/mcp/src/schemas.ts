import type { Json } from './gateway.ts';
import { videoRequestFields } from './video-request-fields.ts';
import { mostWaitSeconds } from './wait.ts';

/** What agents need to know of a field beyond its type, in words for them. */
const explained: Readonly<Partial<Record<keyof typeof videoRequestFields, string>>> = {
  model: 'Id of a video model, see list_models. Left out: the first one that the key may use.',
  prompt: 'What the video shows, in words.',
  references:
    'Images, clips and sounds to make the video from. `url` is a public address, the id of an asset (upload_asset) or the id of an own finished video. An image with the role first_frame or last_frame is where the video begins or ends.',
  ratio: 'Width to height, such as 16:9; list_models says which a model takes.',
  duration: 'Seconds; list_models says which lengths a model takes. The price depends on it.',
  resolution: 'Such as 720p; list_models says which a model takes. The price depends on it.',
  watermark: 'Whether the video is visibly marked as made by a machine.',
  seed: 'The same seed and request make a similar video.',
  generate_audio: 'Whether the video has sound, where the model can leave it out.',
  return_last_frame: 'Whether the last frame is kept as a picture too.',
  service_tier: '`flex` is cheaper and slower, where the model has it.',
  draft: 'A cheaper draft, where the model makes one.',
  priority: 'Larger is sooner, where the model has priorities.',
  task: 'What is done to the one video in `references`, where the model can.',
  callback_url: 'Address that is told of every status.',
  metadata: 'Your own notes, at most 16, shown with the video and searchable later.',
};

/** The fields of a request for a video. */
export const requestFields: Json = Object.fromEntries(
  Object.entries(videoRequestFields).map(([name, schema]) => [
    name,
    { ...schema, description: explained[name as keyof typeof videoRequestFields] },
  ]),
);

export const id: Json = { type: 'string', description: 'Id of the video, video_…' };

export const waitSeconds = (usual: number): Json => ({
  type: 'integer',
  minimum: 0,
  maximum: mostWaitSeconds,
  default: usual,
  description: `How long to wait for the end of the video, in seconds; ${usual} by default.`,
});

export const saveAs: Json = {
  type: 'string',
  description:
    'File on this machine that the finished video is put into, such as balloon.mp4; inside the folder that this server may use.',
};

/** A schema of an object without other fields. */
export const objectOf = (properties: Json, required: readonly string[] = []): Json => ({
  type: 'object',
  properties,
  ...(required.length > 0 && { required }),
  additionalProperties: false,
});
