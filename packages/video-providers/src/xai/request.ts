import type { Submission } from '../port.ts';

/**
 * The JSON body of `POST /videos/generations`. There is no place in it for a seed, a watermark, a
 * last frame or a name by which the vendor could be asked again.
 */
export function xaiRequestBody({
  upstreamModel,
  prompt,
  references,
  duration,
  ratio,
  resolution,
  generateAudio,
  unsupported,
}: Submission): object {
  const first = references.find(({ role }) => role === 'first_frame');
  const images = references.filter(({ role }) => role === 'reference_image');
  return {
    model: upstreamModel,
    prompt,
    ...(first === undefined ? {} : { image: { url: first.url } }),
    ...(images.length === 0 ? {} : { reference_images: images.map(({ url }) => ({ url })) }),
    duration,
    aspect_ratio: ratio,
    resolution,
    ...(unsupported.includes('generate_audio') ? {} : { generate_audio: generateAudio }),
  };
}
