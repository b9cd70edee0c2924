import type { Submission } from '../port.ts';

const fieldOfRole: Readonly<Partial<Record<string, string>>> = {
  first_frame: 'start_frame',
  last_frame: 'end_frame',
};

/**
 * The JSON body of `POST /generations`. There is no place in it for sound, a seed, a watermark or a
 * name of ours.
 */
export const lumaRequestBody = ({
  upstreamModel,
  prompt,
  ratio,
  resolution,
  duration,
  references,
}: Submission): object => ({
  model: upstreamModel,
  type: 'video',
  prompt,
  aspect_ratio: ratio,
  video: {
    resolution,
    duration: `${duration}s`,
    ...Object.fromEntries(
      references.flatMap(({ role, url }) => {
        const field = fieldOfRole[role];
        return field === undefined ? [] : [[field, imageOf(url)]];
      }),
    ),
  },
});

/** The vendor takes the bytes of an image apart from their type. */
function imageOf(url: string): object {
  const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/is.exec(url) ?? [];
  return mediaType === undefined || data === undefined
    ? { url }
    : { data, media_type: mediaType.toLowerCase() };
}
