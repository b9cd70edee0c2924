import type { StoredMedia, Task, TaskResult, VendorOutput } from '@gateway/contracts';
import { backoffDelayMs, billedSeconds, videoTokens } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { Step } from './advance-task.ts';
import { moved, wait, type Clock, type Moves, type StepOutcome } from './ports.ts';
import { fail } from './submit-task.ts';

/** What the probe found in the stored file. */
export interface ProbedVideo {
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly hasAudio: boolean;
}

/**
 * How copying the vendor's files into our storage ended. `unavailable` and `rejected` are the
 * vendor's side and are counted; `our_fault` (storage full or away) is not.
 */
export type CopyOutcome =
  | { readonly kind: 'stored'; readonly media: readonly StoredMedia[]; readonly video: ProbedVideo }
  | { readonly kind: 'unavailable' | 'rejected' | 'our_fault'; readonly detail: string };

export interface IngestTaskPorts {
  /**
   * Copies, checks and hashes the files under keys that carry the epoch, so that two workers never
   * write the same key.
   */
  readonly copy: (task: Task, output: VendorOutput, signal: AbortSignal) => Promise<CopyOutcome>;
  readonly discard: (media: readonly StoredMedia[]) => Promise<void>;
  readonly moves: Moves;
  readonly clock: Clock;
}

const backoff = { firstMs: 1_000, maxMs: 300_000 } as const;
const ourPauseMs = 10_000;
/**
 * A file that is there but is no video may have been cut short on the way: it is fetched again
 * before it counts.
 */
const rejectedLimit = 3;
const unavailableLimit = 12;

/**
 * Step `ingest`: the video becomes ours, then the task succeeds. Claims a new epoch first: a worker
 * that was paused in the middle finds its epoch gone, and its files are removed.
 */
export function createIngestTask({ copy, discard, moves, clock }: IngestTaskPorts): Step {
  return async (task, signal) => {
    const claimed = await moves.stay(task, { step: 'ingest', stepFailures: task.stepFailures });
    if (claimed === undefined) return moved;
    reached('ingest.claimed', task.id);
    const output = claimed.vendorOutput;
    if (output === null) throw new Error(`task ${task.id} is ingested without an output`);
    const copied = await copy(claimed, output, signal);
    if (copied.kind === 'our_fault') {
      return wait(Math.round(ourPauseMs * (0.8 + 0.4 * clock.random())));
    }
    if (copied.kind !== 'stored') return retry(claimed, copied.kind);
    reached('ingest.copied', task.id);
    const finished = await moves.move(claimed, 'stored', finishing(claimed, output, copied));
    if (finished === undefined) await discard(copied.media);
    return moved;
  };

  async function retry(task: Task, kind: 'unavailable' | 'rejected'): Promise<StepOutcome> {
    const failures = task.stepFailures + 1;
    if (kind === 'rejected' && failures >= rejectedLimit) {
      return fail(task, 'output_rejected', { reason: undefined, moves });
    }
    if (failures >= unavailableLimit) {
      return fail(task, 'output_unavailable', { reason: undefined, moves });
    }
    // Back to poll: the vendor may hand out a fresh link. Rendering again because a download failed
    // would bill twice.
    await moves.stay(task, { step: 'poll', stepFailures: failures });
    return wait(backoffDelayMs(backoff, failures, clock.random()));
  }
}

interface Finishing {
  readonly changes: {
    readonly step: 'done';
    readonly result: TaskResult;
    readonly billed: { readonly seconds: number; readonly quota: number };
  };
  readonly media: readonly StoredMedia[];
}

/** Everything that is true of a finished video, for the one statement that says so. */
function finishing(
  { request, price }: Task,
  output: VendorOutput,
  { media, video }: { media: readonly StoredMedia[]; video: ProbedVideo },
): Finishing {
  const seconds = billedSeconds({
    probedSeconds: video.seconds,
    vendorSeconds: output.seconds,
    reservedSeconds: price.reservedSeconds,
  });
  const tokens =
    output.completionTokens ??
    videoTokens({ width: video.width, height: video.height, seconds: Math.round(video.seconds) });
  return {
    changes: {
      step: 'done',
      billed: { seconds, quota: seconds * price.secondQuota },
      result: {
        seconds: video.seconds,
        width: video.width,
        height: video.height,
        hasAudio: video.hasAudio,
        ratio: output.ratio ?? request.ratio,
        resolution: output.resolution ?? request.resolution,
        seed: output.seed ?? request.seed,
        completionTokens: tokens,
        totalTokens: output.totalTokens ?? tokens,
      },
    },
    media,
  };
}
