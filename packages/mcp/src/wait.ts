import { isEnded, type Video } from './gateway.ts';
import type { Call, Connection } from './tool.ts';

/** Clients give a call a minute by default. */
export const mostWaitSeconds = 50;
/** How often a client that waits is told that something still happens. */
const tellEveryMs = 5_000;

interface Waiting extends Pick<Call, 'signal' | 'progress'> {
  readonly seconds: number;
  /** Told of each change on the way, whatever becomes of the wait. */
  readonly seen?: (video: Video) => void;
}

/** The video at its end, or as it is when the time is over. */
export async function waitFor(
  { gateway, budget }: Connection,
  video: Video,
  { seconds, signal, progress, seen: tell }: Waiting,
): Promise<Video> {
  let newest = video;
  const limit = AbortSignal.timeout(seconds * 1_000);
  const telling = setInterval(() => {
    progress(newsOf(newest));
  }, tellEveryMs);
  try {
    if (!isEnded(video) && seconds > 0) {
      newest = await gateway.wait(
        video.id,
        (seen) => {
          newest = seen;
          tell?.(seen);
          progress(newsOf(seen));
        },
        AbortSignal.any([signal, limit]),
      );
    }
  } catch (error) {
    if (!limit.aborted || signal.aborted) throw error;
  } finally {
    clearInterval(telling);
  }
  await budget.seen(newest);
  return newest;
}

/** Where a video stands, for people. */
export function statusText({
  status,
  queue_position: position,
}: Pick<Video, 'status' | 'queue_position'>): string {
  if (status === 'queued' && position !== undefined) return `queued, at position ${position}`;
  return status === 'running' ? 'rendering' : status;
}

/** The same, with what went wrong. */
export const newsOf = (video: Video): string =>
  video.error === undefined ? statusText(video) : `${statusText(video)}: ${video.error.message}`;
