import type * as store from '@gateway/store';

/** An account with a long history, which goes on. */
export interface Scene {
  readonly database: store.Database;
  readonly accountId: string;
  readonly keyId: string;
  /** One of its history. */
  readonly finishedId: string;
  /** One that is in the archive. */
  readonly archivedId: string;
}

/** Prepares what a method needs, and returns the call that is measured. */
export type Call = (scene: Scene) => Promise<() => Promise<unknown>>;

/** Called with nothing but ids. */
export const call =
  (work: (scene: Scene) => Promise<unknown>): Call =>
  (scene) =>
    Promise.resolve(() => work(scene));
