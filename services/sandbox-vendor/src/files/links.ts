import { randomBytes } from 'node:crypto';
import type { TaskFile, TaskOutput } from '../tasks/task.ts';
import type { Directives } from '../tasks/directives.ts';
import type { VideoSpec } from '../render/video-spec.ts';

/** Links to finished videos: like presigned ones, they need no key, cannot be guessed, and end. */
export interface Links {
  publish(video: { spec: VideoSpec; directives: Directives; lastFrame: boolean }): TaskOutput;
  /** Makes a link of an earlier run work again. */
  restore(file: TaskFile): void;
  /** Undefined for links that never were and links that have ended, which look the same. */
  find(token: string): TaskFile | undefined;
}

interface LinksOptions {
  readonly ttlSeconds: number;
  readonly maxLinks: number;
  readonly baseUrl: () => string;
  readonly now: () => number;
}

const tokenBytes = 24;

export function createLinks({ ttlSeconds, maxLinks, baseUrl, now }: LinksOptions): Links {
  const files = new Map<string, TaskFile>();
  const restore = (file: TaskFile): void => {
    files.set(file.token, file);
    for (const [token, { expiresAtMs }] of files) {
      // the oldest come first, so this ends at the first that stays
      if (files.size <= maxLinks && expiresAtMs > now()) return;
      files.delete(token);
    }
  };
  return {
    publish({ spec, directives, lastFrame }) {
      const token = randomBytes(tokenBytes).toString('base64url');
      const file: TaskFile = { token, spec, directives, expiresAtMs: now() + ttlSeconds * 1000 };
      restore(file);
      const folder = `${baseUrl()}/files/${token}`;
      return {
        file,
        videoUrl: `${folder}/video.mp4`,
        ...(lastFrame && { lastFrameUrl: `${folder}/last_frame.jpeg` }),
      };
    },
    restore,
    find(token) {
      const file = files.get(token);
      return file !== undefined && file.expiresAtMs > now() ? file : undefined;
    },
  };
}
