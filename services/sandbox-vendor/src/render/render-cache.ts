import type { Renderer } from './renderer.ts';
import { renderKey, type RenderedVideo, type VideoSpec } from './video-spec.ts';

export interface RenderStats {
  readonly rendered: number;
  readonly failed: number;
  readonly cached: number;
  /** From asking to having, the wait for a thread included. */
  readonly waited_ms: number;
  readonly held_bytes: number;
  readonly held_videos: number;
}

export interface RenderCache {
  /**
   * The video, from memory or rendered now; equal descriptions asked for at once are rendered once.
   */
  get(spec: VideoSpec): Promise<RenderedVideo>;
  stats(): RenderStats;
}

interface RenderCacheOptions {
  readonly renderer: Pick<Renderer, 'render'>;
  readonly maxBytes: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
}

const sizeOf = ({ mp4, lastFrame }: RenderedVideo): number => mp4.length + lastFrame.length;

/**
 * Keeps the videos that were used last, up to a number of bytes. What was dropped can be rendered
 * again, byte for byte.
 */
export function createRenderCache({ renderer, maxBytes, now }: RenderCacheOptions): RenderCache {
  const held = new Map<string, RenderedVideo>();
  const underWay = new Map<string, Promise<RenderedVideo>>();
  const counts = { rendered: 0, failed: 0, cached: 0, waited_ms: 0 };
  let heldBytes = 0;

  const keep = (key: string, video: RenderedVideo): void => {
    held.set(key, video);
    heldBytes += sizeOf(video);
    for (const [oldest, dropped] of held) {
      if (heldBytes <= maxBytes) return;
      held.delete(oldest);
      heldBytes -= sizeOf(dropped);
    }
  };

  const renderNow = async (key: string, spec: VideoSpec): Promise<RenderedVideo> => {
    const start = now();
    try {
      const video = await renderer.render(spec);
      counts.rendered += 1;
      keep(key, video);
      return video;
    } catch (error) {
      counts.failed += 1;
      throw error;
    } finally {
      counts.waited_ms += Math.round(now() - start);
      underWay.delete(key);
    }
  };

  return {
    get(spec) {
      const key = renderKey(spec);
      const known = held.get(key);
      if (known !== undefined) {
        counts.cached += 1;
        // set again at the end: a Map keeps the order of insertion, and the front is dropped first
        held.delete(key);
        held.set(key, known);
        return Promise.resolve(known);
      }
      const pending = underWay.get(key) ?? renderNow(key, spec);
      underWay.set(key, pending);
      return pending;
    },
    stats: () => ({ ...counts, held_bytes: heldBytes, held_videos: held.size }),
  };
}
