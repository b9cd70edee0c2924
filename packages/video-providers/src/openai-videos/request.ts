import { sizeOf } from '@gateway/contracts';
import type { Submission } from '../port.ts';
import { openaiVideosFormat } from './sizes.ts';

export type OpenaiVideosForm =
  { readonly ok: true; readonly form: FormData } | { readonly ok: false; readonly detail: string };

/**
 * The form of `POST /videos`; every value in it is text, the length too. Not possible for a request
 * from before its model was moved to this format: what one is taken for was checked when it was
 * created.
 */
export function openaiVideosForm({
  upstreamModel,
  prompt,
  duration,
  references,
  ...picture
}: Submission): OpenaiVideosForm {
  const size = sizeOf(openaiVideosFormat, picture);
  if (size === undefined) {
    return {
      ok: false,
      detail: `the format has no size for ${picture.ratio} at ${picture.resolution}`,
    };
  }
  const form = new FormData();
  for (const [field, value] of Object.entries({
    model: upstreamModel,
    prompt,
    seconds: String(duration),
    size,
  })) {
    form.set(field, value);
  }
  const [reference, ...others] = references;
  if (reference === undefined) return { ok: true, form };
  const image =
    reference.role === 'first_frame' && others.length === 0
      ? readDataUrl(reference.url)
      : undefined;
  if (image === undefined) {
    return { ok: false, detail: 'the format takes one image, as bytes, as the first frame' };
  }
  form.set('input_reference', image, `reference.${image.type.slice('image/'.length)}`);
  return { ok: true, form };
}

function readDataUrl(url: string): Blob | undefined {
  const [, mediaType, base64] = /^data:(image\/[a-z0-9.+-]+);base64,(.*)$/is.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined
    ? undefined
    : new Blob([Buffer.from(base64, 'base64')], { type: mediaType.toLowerCase() });
}
