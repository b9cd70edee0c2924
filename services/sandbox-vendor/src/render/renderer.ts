import type { RenderedVideo, VideoSpec } from './video-spec.ts';

/** Something that turns descriptions into files. */
export interface Renderer {
  render(spec: VideoSpec): Promise<RenderedVideo>;
  /** Rejects with the reason when nothing can be rendered on this machine. */
  check(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Renders in the calling thread: for tests that read the TypeScript sources, which a worker thread
 * cannot load on Node 20.
 */
export function createInlineRenderer(): Renderer {
  const load = async (): Promise<(spec: VideoSpec) => Promise<RenderedVideo>> =>
    (await import('./render-video.ts')).renderVideo;
  let last: Promise<unknown> = Promise.resolve();
  return {
    render(spec) {
      const turn = last.then(async () => (await load())(spec));
      last = turn.catch(() => undefined);
      return turn;
    },
    async check() {
      await load();
    },
    async stop() {
      await last;
    },
  };
}
