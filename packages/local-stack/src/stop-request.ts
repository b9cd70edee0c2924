import { parentOf } from './processes.ts';

export interface StopRequest {
  /** Fires at the first request. */
  readonly signal: AbortSignal;
  /** Resolves at the first request. */
  readonly requested: Promise<void>;
  /** Stops listening. */
  dispose(): void;
}

export interface StopWatchOptions {
  /** A second request: end at once. */
  readonly force: () => void;
  /** Whether to take the end of our parent for a request: npm may die without telling us. */
  readonly followParent: boolean;
  /** In milliseconds, from anywhere. */
  readonly now?: () => number;
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm hands on the Ctrl-C that the terminal has sent us too; that is still one request. */
const sameRequestMs = 1_000;
const parentCheckMs = 100;

/** Turns Ctrl-C, SIGTERM and a closed terminal into one request to stop. */
export function watchForStop({
  force,
  followParent,
  now = () => performance.now(),
}: StopWatchOptions): StopRequest {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (): void => {
    if (!controller.signal.aborted) {
      firstAt = now();
      controller.abort();
    } else if (now() - firstAt > sameRequestMs) force();
  };
  for (const signal of signals) process.on(signal, onSignal);
  const parents = ourParents();
  const parentCheck = setInterval(() => {
    if (followParent && ourParents() !== parents && !controller.signal.aborted) onSignal();
  }, parentCheckMs);
  parentCheck.unref();
  const requested = new Promise<void>((resolve) => {
    controller.signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
  const dispose = (): void => {
    clearInterval(parentCheck);
    for (const signal of signals) process.off(signal, onSignal);
  };
  return { signal: controller.signal, requested, dispose };
}

/**
 * npm runs a script through a shell, which neither hands on a signal nor ends with npm: both of
 * them are watched.
 */
function ourParents(): string {
  return `${process.ppid} ${String(parentOf(process.ppid))}`;
}
