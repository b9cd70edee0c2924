import { createMediaLinks, mediaTokenDefaults, parseTokenKeys } from '@gateway/media';
import { createSourceVideos, createTaskReads } from '@gateway/store';
import type { MediaLinks } from '@gateway/contracts';
import type { Settings } from '../config.ts';
import { mediaRoutes, type MediaRoutesOptions } from '../http/routes/media.ts';
import type { Clients } from './clients.ts';

/** What serving files by signed addresses takes. */
export type FileServing = Omit<MediaRoutesOptions, 'findMedia' | 'findSourceFile'>;

/** How files are linked to and served. */
export function buildMedia(
  settings: Readonly<Settings>,
  { storage, database, clock, log }: Pick<Clients, 'storage' | 'database' | 'clock' | 'log'>,
): {
  readonly links: MediaLinks;
  readonly serving: FileServing;
  readonly routes: ReturnType<typeof mediaRoutes>;
} {
  const keys = parseTokenKeys(settings.MEDIA_TOKEN_KEYS);
  const now = clock.date;
  const serving = { keys, maxTtlSeconds: mediaTokenDefaults.ttlSeconds, storage, log, now };
  return {
    links: createMediaLinks({
      baseUrl: settings.PUBLIC_BASE_URL,
      keys,
      ...mediaTokenDefaults,
      now,
    }),
    serving,
    routes: mediaRoutes({
      ...serving,
      findMedia: createTaskReads(database).findMedia,
      findSourceFile: createSourceVideos(database).findSourceFile,
    }),
  };
}
