import { createHistogram } from 'node:perf_hooks';

/** What all callers of one job count into; a new one begins when the measured window does. */
export interface Tally {
  readonly latency: ReturnType<typeof createHistogram>;
  readonly firstByte: ReturnType<typeof createHistogram>;
  completed: number;
  chunks: number;
  failed: number;
  firstError: string | undefined;
}

export const newTally = (): Tally => ({
  latency: createHistogram(),
  firstByte: createHistogram(),
  completed: 0,
  chunks: 0,
  failed: 0,
  firstError: undefined,
});

export interface CallerState {
  tally: Tally;
  readonly isOver: boolean;
}

export const microsecondsSince = (startMs: number): number =>
  Math.max(1, Math.round((performance.now() - startMs) * 1_000));
