import type { RenderedVideo, VideoSpec } from './video-spec.ts';

/** What a render thread is told; it does one at a time. */
export type ToWorker = VideoSpec;

export type FromWorker =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rendered'; readonly video: RenderedVideo }
  | { readonly kind: 'failed'; readonly reason: string };
