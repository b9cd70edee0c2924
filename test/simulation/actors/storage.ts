import type { StoredMedia } from '@gateway/contracts';
import type { CopyOutcome } from '../../../services/video-worker/src/use-cases/ingest-task.ts';
import type { Life } from '../world/life.ts';
import type { World } from '../world/world.ts';

/** How often a copy ends badly. All are 0 in calm. */
export interface StorageMood {
  unavailable: number;
  ourFault: number;
}

/** Our own storage, in memory. */
export interface Storage {
  readonly mood: StorageMood;
  readonly files: ReadonlyMap<string, Pick<StoredMedia, 'sizeBytes' | 'sha256'>>;
  copy(
    life: Life,
    order: { readonly taskId: string; readonly seconds: number },
  ): Promise<CopyOutcome>;
  remove(storageKey: string): Promise<'gone'>;
}

/** With random names every copy has one that no other has. */
export function createStorage(world: World, mood: StorageMood, hasRandomNames = true): Storage {
  const files = new Map<string, Pick<StoredMedia, 'sizeBytes' | 'sha256'>>();
  let written = 0;
  const copy = async (taskId: string, seconds: number): Promise<CopyOutcome> => {
    await world.pause(world.dice.between(100, 8_000));
    if (world.dice.chance(mood.unavailable)) return { kind: 'unavailable', detail: 'no file' };
    if (world.dice.chance(mood.ourFault)) return { kind: 'our_fault', detail: 'storage away' };
    written += 1;
    const storageKey = `${taskId}/${hasRandomNames ? written : 'content'}.mp4`;
    const file = { sizeBytes: 1_000 + written, sha256: written.toString(16).padStart(64, '0') };
    files.set(storageKey, file);
    await world.pause(world.latency());
    return {
      kind: 'stored',
      media: [{ variant: 'content', storageKey, contentType: 'video/mp4', ...file }],
      video: { seconds, width: 864, height: 480, hasAudio: false },
    };
  };
  return {
    mood,
    files,
    copy: (life, { taskId, seconds }) => life.within(copy(taskId, seconds)),
    async remove(storageKey) {
      await world.pause(world.latency());
      files.delete(storageKey);
      return 'gone';
    },
  };
}
