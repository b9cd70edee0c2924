import type { ReferenceRole } from '@gateway/contracts';
import type { Submission } from '../port.ts';

export interface KlingRequest {
  /** Below the base URL; the model is part of it. */
  readonly path: string;
  readonly body: object;
}

const isOmni = (model: string): boolean => /omni|^kling-o\d/.test(model);

/** What a reference is called among the contents. */
const typeOfRole: Readonly<Record<ReferenceRole, string | undefined>> = {
  first_frame: 'first_frame',
  last_frame: 'last_frame',
  reference_image: 'refer_image',
  reference_video: 'feature_video',
  reference_audio: undefined,
};

/**
 * The request of a creation: the path tells what a video is made from. Never a `callback_url`, and
 * no `multi_shot`: how many shots a video has changes nothing of its price, so that is the vendor's.
 */
export function klingRequest(submission: Submission): KlingRequest {
  const { upstreamModel: model, prompt, references, correlation, watermark } = submission;
  const isText = references.length === 0 && !isOmni(model);
  const family = isText ? 'text-to-video' : isOmni(model) ? 'omni-video' : 'image-to-video';
  return {
    path: `/${family}/${encodeURIComponent(model)}`,
    body: {
      ...(isText ? { prompt } : { contents: contentsOf(submission) }),
      settings: settingsOf(submission),
      options: { external_task_id: correlation, watermark_info: { enabled: watermark } },
    },
  };
}

/** References have names, by which a prompt may call them: `@image_1`. */
function contentsOf({ prompt, references }: Submission): object[] {
  const counts: Record<string, number> = {};
  return [
    ...(prompt === '' ? [] : [{ type: 'prompt', text: prompt }]),
    ...references.map(({ kind, role, url }) => {
      const type = typeOfRole[role];
      const number = (counts[kind] = (counts[kind] ?? 0) + 1);
      const isFrame = type === 'first_frame' || type === 'last_frame';
      return { type, url: bareBase64(url), ...(!isFrame && { id: `${kind}_${number}` }) };
    }),
  ];
}

/** The vendor takes base64 without the header of a `data:` URL. */
const bareBase64 = (url: string): string => url.replace(/^data:[^,]*,/i, '');

/** A picture or a clip decides what it decides: then the field does not exist. */
function settingsOf({
  references,
  resolution,
  ratio,
  duration,
  generateAudio,
  unsupported,
}: Submission): object {
  const has = (role: ReferenceRole): boolean => references.some((one) => one.role === role);
  const hasClip = has('reference_video');
  return {
    resolution,
    ...(!has('first_frame') && !hasClip && { aspect_ratio: ratio }),
    ...(!hasClip && { duration }),
    ...(!unsupported.includes('generate_audio') && {
      audio: generateAudio && !hasClip ? 'native' : 'off',
    }),
  };
}
