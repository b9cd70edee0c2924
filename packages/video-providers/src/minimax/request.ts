import type { Submission } from '../port.ts';

/**
 * The JSON body of `POST /v2/video_generation`. There is no place in it for a seed, for sound, for
 * a deadline or for a name of ours. Never a `callback_url`: the vendor's pushes carry no signature.
 */
export const minimaxRequestBody = ({
  upstreamModel,
  prompt,
  references,
  resolution,
  duration,
  ratio,
  watermark,
}: Submission): object => ({
  model: upstreamModel,
  content: [
    { type: 'text', text: prompt },
    ...references.map(({ kind, role, url }) => ({
      type: `${kind}_url`,
      [`${kind}_url`]: { url: lowerCaseMediaType(url) },
      role,
    })),
  ],
  // The vendor writes 768P and 2K, and knows no other spelling.
  resolution: resolution.toUpperCase(),
  duration,
  ratio,
  aigc_watermark: watermark,
});

const lowerCaseMediaType = (url: string): string =>
  url.replace(/^data:[^,]*,/i, (header) => header.toLowerCase());
