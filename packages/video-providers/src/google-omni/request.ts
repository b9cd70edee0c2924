import { isFrame, lastFrameLast } from '../frames.ts';
import type { Submission } from '../port.ts';

/** What is done with the media; a text alone needs no word for it. */
function taskOf(references: Submission['references']): string | undefined {
  if (references.length === 0) return undefined;
  return references.every(isFrame) ? 'image_to_video' : 'reference_to_video';
}

/** The vendor takes bytes apart from their type. */
function mediaPart({ kind, url }: Submission['references'][number]): object {
  const [, mediaType = '', data = ''] = /^data:([^;,]+);base64,(.*)$/is.exec(url) ?? [];
  return { type: kind, data, mime_type: mediaType.toLowerCase() };
}

/**
 * The JSON body of `POST /interactions`. Without `background` the call would last until the video is
 * made. There is no place for a seed, a watermark or sound; the label finds a task in the vendor's
 * console, and nowhere else.
 */
export function googleOmniRequestBody({
  upstreamModel,
  prompt,
  references,
  ratio,
  resolution,
  duration,
  correlation,
}: Submission): object {
  const task = taskOf(references);
  return {
    model: upstreamModel,
    background: true,
    store: true,
    input: [
      ...lastFrameLast(references).map(mediaPart),
      ...(prompt === '' ? [] : [{ type: 'text', text: prompt }]),
    ],
    response_format: {
      type: 'video',
      aspect_ratio: ratio,
      resolution,
      // A number is refused.
      duration: `${duration}s`,
      delivery: 'uri',
    },
    ...(task !== undefined && { generation_config: { video_config: { task } } }),
    labels: { task: correlation.toLowerCase() },
  };
}
