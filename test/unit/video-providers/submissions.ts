import type { Submission } from '@gateway/video-providers';

/** A submission with everything that a format may have no place for. */
export const aSubmission = (fields: Partial<Submission> = {}): Submission => ({
  correlation: 'video_01h455vb4pex5vsknk084sn02q',
  upstreamModel: 'model-1',
  prompt: 'a cat',
  references: [],
  ratio: '16:9',
  duration: 5,
  resolution: '720p',
  watermark: true,
  seed: 7,
  generateAudio: true,
  returnLastFrame: true,
  unsupported: [],
  expiresAfterSeconds: 86_400,
  ...fields,
});

export const firstFrame = {
  kind: 'image',
  role: 'first_frame',
  url: 'https://files.example/first.png',
} as const;
export const lastFrame = {
  kind: 'image',
  role: 'last_frame',
  url: 'data:image/PNG;base64,AbC=',
} as const;
export const anImage = {
  kind: 'image',
  role: 'reference_image',
  url: 'https://files.example/image.png',
} as const;
export const aClip = {
  kind: 'video',
  role: 'reference_video',
  url: 'https://files.example/clip.mp4',
} as const;
