import type { ReferenceRole } from '@gateway/contracts';
import { isFrame, lastFrameLast } from '../frames.ts';
import type { Submission } from '../port.ts';

export interface ViduRequest {
  readonly path: string;
  readonly body: object;
}

type References = Submission['references'];

/** What a video is made from decides where it is asked for; which image is which, their order. */
function pathOf(references: References): string {
  const has = (role: ReferenceRole): boolean => references.some((one) => one.role === role);
  if (references.length === 0) return '/ent/v2/text2video';
  if (has('last_frame')) return '/ent/v2/start-end2video';
  return has('first_frame') ? '/ent/v2/img2video' : '/ent/v2/reference2video';
}

const urlsOf = (references: References, kind: References[number]['kind']): string[] =>
  lastFrameLast(references).flatMap((one) => (one.kind === kind ? [one.url] : []));

/**
 * The request of a creation. The vendor refuses fields that an endpoint does not have, such as a
 * ratio beside frames. `payload` is shown again and cannot be searched for. Never a `callback_url`.
 */
export function viduRequest(submission: Submission): ViduRequest {
  const { references, prompt, seed, unsupported, serviceTier } = submission;
  const takes = (field: Submission['unsupported'][number]): boolean => !unsupported.includes(field);
  const [images, videos] = [urlsOf(references, 'image'), urlsOf(references, 'video')];
  return {
    path: pathOf(references),
    body: {
      model: submission.upstreamModel,
      ...(prompt !== '' && { prompt }),
      ...(images.length > 0 && { images }),
      ...(videos.length > 0 && { videos }),
      duration: submission.duration,
      resolution: submission.resolution.replace(/k$/, 'K'),
      ...(!references.some(isFrame) && { aspect_ratio: submission.ratio }),
      ...(seed !== null && takes('seed') && { seed }),
      ...(takes('generate_audio') && { audio: submission.generateAudio }),
      ...(takes('watermark') && { watermark: submission.watermark }),
      ...(serviceTier === 'flex' && { off_peak: true }),
      payload: submission.correlation,
    },
  };
}
