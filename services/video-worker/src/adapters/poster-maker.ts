import { Readable } from 'node:stream';
import type { StoredMedia, Task } from '@gateway/contracts';
import { describeError } from '@gateway/domain';
import type { MediaStorage, PosterCutter } from '@gateway/media';
import type { Log } from '@gateway/runtime';

export interface PosterMakerOptions {
  readonly storage: Pick<MediaStorage, 'read' | 'put'>;
  readonly newSuffix: () => string;
  readonly cut: PosterCutter;
  /** For all of it: waiting for a turn, reading, cutting and storing. */
  readonly timeoutMs: number;
  readonly onPoster: (outcome: PosterOutcome) => void;
  readonly log: Pick<Log, 'warn'>;
}

export const posterOutcomes = ['made', 'failed'] as const;
export type PosterOutcome = (typeof posterOutcomes)[number];

/** Never rejects: a video without a poster is as good as one with it. */
export type MakePoster = (
  task: Pick<Task, 'id' | 'epoch'>,
  content: Pick<StoredMedia, 'storageKey' | 'sizeBytes'>,
  signal: AbortSignal,
) => Promise<StoredMedia | undefined>;

/** Cuts a poster from a stored video and stores it beside last frames, which the sweep knows. */
export function createPosterMaker({
  storage,
  newSuffix,
  cut,
  timeoutMs,
  onPoster,
  log,
}: PosterMakerOptions): MakePoster {
  return async ({ id, epoch }, { storageKey, sizeBytes }, called) => {
    const signal = AbortSignal.any([called, AbortSignal.timeout(timeoutMs)]);
    try {
      const read = (range: { readonly start: number; readonly end: number }): Promise<Readable> =>
        storage.read(storageKey, range, { signal });
      const poster = await cut({ sizeBytes, read }, signal);
      const key = `frames/${id}-${epoch}-poster-${newSuffix()}.jpg`;
      const content = Readable.from([poster]);
      const stored = await storage.put(key, content, { maxBytes: poster.length, signal });
      onPoster('made');
      return { variant: 'poster', contentType: 'image/jpeg', storageKey: key, ...stored };
    } catch (error) {
      onPoster('failed');
      log.warn('poster not made', { taskId: id, detail: describeError(error) });
      return undefined;
    }
  };
}
