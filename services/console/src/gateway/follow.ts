import type { FollowOptions } from '@gateway/client';
import { isRefused } from './client.ts';
import { queries } from './query-client.ts';
import { createStore } from './store.ts';

const againAfterMs = 3_000;

/** Why live updates have ended, if they have: the gateway refuses them. */
export const liveRefusal = createStore<string | undefined>(undefined);

export interface Followable<Event> {
  readonly open: (options: FollowOptions) => AsyncIterable<Event>;
  readonly note: (event: Event) => void;
  /** What to do when the gateway refuses it. */
  readonly advice: string;
}

/** Keeps what has been read up to date until the signal ends it, or the gateway refuses. */
export async function follow<Event extends { readonly position: string }>(
  signal: AbortSignal,
  { open, note, advice }: Followable<Event>,
): Promise<void> {
  let after: string | undefined;
  signal.addEventListener('abort', () => {
    liveRefusal.set(undefined);
  });
  while (!signal.aborted) {
    try {
      for await (const event of open({ signal, after, onReset: readAllAgain })) {
        after = event.position;
        note(event);
      }
    } catch (error) {
      // An aborted call throws its signal's reason, which is no refusal.
      if (isRefused(error)) {
        liveRefusal.set(`${error.message} ${advice}`);
        return;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, againAfterMs));
  }
}

const readAllAgain = (): void => void queries.invalidateQueries();
