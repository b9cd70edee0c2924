/** A moment at which a process may die. */
export interface CrashPoint {
  readonly service: 'api' | 'billing' | 'video-worker' | 'callback-dispatcher';
  /** What is on disk at this moment. */
  readonly left: string;
  /** Who finishes or undoes it when the process dies here. */
  readonly repairedBy: string;
}
