import { Readable } from 'node:stream';
import type { NewTask } from '@gateway/contracts';
import { openFileSystemStorage } from '@gateway/media';
import { createTaskMoves } from '@gateway/store';
import { aQueuedTask, withPlace } from '@gateway/testing';
import type { ApiUnderTest } from './harness.ts';

/**
 * A task that has succeeded, with its files in the storage, as the worker leaves it. Returns its
 * id.
 */
export async function aFinishedTask(
  { database, storageDir }: Pick<ApiUnderTest, 'database' | 'storageDir'>,
  accountId: string,
  files: { readonly content: Buffer; readonly lastFrame: Buffer; readonly poster?: Buffer },
  overrides: Partial<NewTask> = {},
): Promise<string> {
  const task = await aQueuedTask(database, accountId, overrides);
  const moves = createTaskMoves(database);
  const storage = await openFileSystemStorage({ folder: storageDir });
  const put = async (storageKey: string, content: Buffer) => ({
    storageKey,
    ...(await storage.put(storageKey, Readable.from([content]), { maxBytes: 10_000 })),
  });
  const media = [
    {
      variant: 'content' as const,
      contentType: 'video/mp4',
      ...(await put(`videos/${task.id}-1.mp4`, files.content)),
    },
    {
      variant: 'last-frame' as const,
      contentType: 'image/jpeg',
      ...(await put(`frames/${task.id}-1`, files.lastFrame)),
    },
    ...(files.poster === undefined
      ? []
      : [
          {
            variant: 'poster' as const,
            contentType: 'image/jpeg',
            ...(await put(`frames/${task.id}-1-poster.jpg`, files.poster)),
          },
        ]),
  ];
  const claimed = await moves.claimSubmission(await withPlace(database, task));
  if (typeof claimed === 'string') throw new Error(claimed);
  const running = await moves.move(claimed, 'accepted', {
    changes: { step: 'poll', vendorTaskId: 'cgt-1' },
  });
  const result = {
    seconds: 5,
    width: 864,
    height: 496,
    hasAudio: false,
    ratio: '16:9',
    resolution: '480p',
    seed: 1,
    completionTokens: 1,
    totalTokens: 1,
    ...(files.poster !== undefined && { hasPoster: true as const }),
  };
  const done = await moves.move(running!, 'stored', {
    changes: { step: 'done', result, billed: { seconds: 5, quota: 50 } },
    media,
  });
  return done!.id;
}
