import { judgeDataUrl, parseDataUrl, type DataUrlRule, type DataUrlVerdict } from '@gateway/media';
import { freeMemory } from './memory.ts';
import type { HeldDataUrl } from './video-body.ts';

/**
 * The data URLs of requests under way whose bytes a thread has decoded. A request carries their
 * names, which nobody can guess.
 */
export interface HeldData {
  hold(data: readonly HeldDataUrl[]): void;
  free(data: readonly HeldDataUrl[]): void;
  /** What `parseDataUrl` says, of a name or of a data URL itself. */
  judge(text: string, rule: DataUrlRule): DataUrlVerdict;
}

export function createHeldData(): HeldData {
  const held = new Map<string, HeldDataUrl>();
  return {
    hold(data) {
      for (const each of data) held.set(each.name, each);
    },
    free(data) {
      for (const { name, bytes } of data) {
        held.delete(name);
        if (bytes !== undefined) freeMemory(bytes);
      }
    },
    judge(text, rule) {
      const read = held.get(text);
      return read === undefined ? parseDataUrl(text, rule) : judgeDataUrl(read, rule);
    },
  };
}
