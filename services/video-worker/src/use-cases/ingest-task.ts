import type { StoredMedia, Task, TaskBill, TaskResult, VendorOutput } from '@gateway/contracts';
import { backoffDelayMs, billedSeconds, chargeOf, taskFailure, videoTokens } from '@gateway/domain';
import { reached } from '@gateway/runtime';
import type { Step } from './advance-task.ts';
import { recordEnd } from './poll-task.ts';
import { moved, wait, type Clock, type Moves, type StepOutcome, type Vendor } from './ports.ts';

/** What the probe found in the stored file. */
export interface ProbedVideo {
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  readonly hasAudio: boolean;
  /** What it says about its own origin, if anything. */
  readonly contentCredentials?: { readonly generator?: string; readonly signer?: string };
}

/**
 * How copying the vendor's files into our storage ended. Every kind but `stored` is tried again:
 * `unavailable` (no file came) and `rejected` (what came is no video) are the vendor's side,
 * `our_fault` (storage full or away) is not.
 */
export type CopyOutcome =
  | { readonly kind: 'stored'; readonly media: readonly StoredMedia[]; readonly video: ProbedVideo }
  | { readonly kind: 'unavailable' | 'rejected' | 'our_fault'; readonly detail: string };

export interface IngestTaskPorts {
  readonly vendorOf: (task: Task) => Vendor;
  /** The invisible mark that a kind of vendor says is in all its pictures. */
  readonly watermarkOf: (kind: string) => string | undefined;
  /**
   * Copies, checks and hashes the files under keys that carry the epoch and something random: no
   * two copies ever share a key.
   */
  readonly copy: (task: Task, output: VendorOutput, signal: AbortSignal) => Promise<CopyOutcome>;
  readonly discard: (media: readonly StoredMedia[]) => Promise<void>;
  readonly moves: Moves;
  readonly clock: Clock;
  /** How long after the deadline our own storage is waited for, in ms. */
  readonly fileGraceMs: number;
}

/** A file server may be away for hours: the pauses grow to a quarter of one. */
const backoff = { firstMs: 1_000, maxMs: 900_000 } as const;
/** Longer than any pause of this step, jitter included; the reconciler brings forward what waits longer. */
export const longestIngestPauseMs = backoff.maxMs * 1.25;
const ourPauseMs = 10_000;
const missingPauseMs = 1_000;
/** Before a task is read again that somebody else moved, or that the database does not call overdue yet. */
export const lostRacePauseMs = 1_000;

/**
 * Step `ingest`: the video becomes ours, then the task succeeds. Claims a new epoch first: a worker
 * that was paused in the middle finds its epoch gone, and its files are removed.
 *
 * A file that cannot be had, or is no video, is "not yet": the vendor has been paid, and rendering
 * again would bill twice. Only the deadline ends the task, or what the vendor itself says of it.
 */
export function createIngestTask(ports: IngestTaskPorts): Step {
  const { watermarkOf, copy, discard, moves, clock, fileGraceMs } = ports;
  const askAgain = createAskAgain(ports);
  return async (task, signal) => {
    const heard = await askAgain(task, signal);
    if (heard.kind === 'ended') return heard.outcome;
    const claimed = await moves.stay(task, {
      step: 'ingest',
      stepFailures: task.stepFailures,
      ...(heard.output !== undefined && { vendorOutput: heard.output }),
    });
    if (claimed === undefined) return moved;
    reached('ingest.claimed', task.id);
    return fetchNow(claimed, heard.kind === 'missing', signal);
  };

  async function fetchNow(
    claimed: Task,
    isMissing: boolean,
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    const output = claimed.vendorOutput;
    if (output === null) throw new Error(`task ${claimed.id} is ingested without an output`);
    const copied = await copy(claimed, output, signal);
    if (copied.kind !== 'stored') {
      // A stopping worker hands the task back: that says nothing about the file.
      if (signal.aborted) return wait(0);
      return copyFailed(claimed, copied.kind, isMissing);
    }
    reached('ingest.copied', claimed.id);
    const finished = await moves.move(
      claimed,
      'stored',
      finishing(claimed, output, { ...copied, watermarkOf }),
    );
    if (finished === undefined) await discard(copied.media);
    return moved;
  }

  async function copyFailed(
    task: Task,
    kind: 'unavailable' | 'rejected' | 'our_fault',
    isMissing: boolean,
  ): Promise<StepOutcome> {
    const overdueMs = clock.now() - task.expiresAt.getTime();
    if (overdueMs >= (kind === 'our_fault' ? fileGraceMs : 0)) return loseOutput(task, kind, moves);
    if (kind === 'our_fault') return wait(Math.round(ourPauseMs * (0.8 + 0.4 * clock.random())));
    if (isMissing) {
      // Nothing of it is left, it seems. Polls find out whether it stays so.
      await moves.stay(task, { step: 'poll', stepFailures: 1 });
      return wait(missingPauseMs);
    }
    const failures = task.stepFailures + 1;
    await moves.stay(task, { step: 'ingest', stepFailures: failures });
    reached('ingest.put-off', task.id);
    return wait(backoffDelayMs(backoff, failures, clock.random()));
  }
}

type Heard =
  | { readonly kind: 'known'; readonly output?: VendorOutput }
  | { readonly kind: 'missing'; readonly output?: undefined }
  | { readonly kind: 'ended'; readonly outcome: StepOutcome };

/**
 * A poll before each further copy: it fetches a fresh link where the vendor's links expire, and
 * hears when the vendor has given the video up. Without an answer the known links are as good.
 */
function createAskAgain({
  vendorOf,
  moves,
}: IngestTaskPorts): (task: Task, signal: AbortSignal) => Promise<Heard> {
  return async (task, signal) => {
    if (task.stepFailures === 0) return { kind: 'known' };
    const { taskId } = task.vendor;
    if (taskId === null) throw new Error(`task ${task.id} is ingested without a vendor task id`);
    const outcome = await vendorOf(task).provider.poll(taskId, signal);
    reached('ingest.polled', task.id);
    switch (outcome.kind) {
      case 'succeeded':
        return { kind: 'known', output: outcome.output };
      case 'failed':
        return { kind: 'ended', outcome: await recordEnd(task, outcome, moves) };
      case 'missing':
        return { kind: 'missing' };
      case 'pending':
      case 'error':
        return { kind: 'known' };
    }
  };
}

const lostAs = {
  unavailable: 'output_unavailable',
  rejected: 'output_rejected',
  our_fault: 'output_unavailable',
} as const;

/**
 * Ends a task past its deadline whose finished video nobody got, unbilled. The statement notes the
 * exposure.
 */
export async function loseOutput(
  task: Task,
  why: keyof typeof lostAs,
  moves: Moves,
): Promise<StepOutcome> {
  const lost = await moves.move(task, 'expired', {
    changes: {
      step: 'done',
      failure: taskFailure(lostAs[why]),
      billed: { seconds: 0, quota: 0 },
    },
    ifOverdue: true,
  });
  return lost === undefined ? wait(lostRacePauseMs) : moved;
}

interface Finishing {
  readonly changes: {
    readonly step: 'done';
    readonly result: TaskResult;
    readonly billed: TaskBill;
  };
  readonly media: readonly StoredMedia[];
}

/** By the price of its hold, which its configuration may have changed since. */
const billOf = ({ terms, secondQuota }: Task['price'], seconds: number): TaskBill =>
  terms === undefined
    ? { seconds, quota: seconds * secondQuota }
    : { seconds, ...chargeOf(terms, seconds) };

/** Everything that is true of a finished video, for the one statement that says so. */
function finishing(
  { request, price, vendor }: Task,
  output: VendorOutput,
  {
    media,
    video,
    watermarkOf,
  }: Pick<IngestTaskPorts, 'watermarkOf'> & {
    readonly media: readonly StoredMedia[];
    readonly video: ProbedVideo;
  },
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
      billed: billOf(price, seconds),
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
        provenance: {
          c2pa: video.contentCredentials ?? null,
          watermark: watermarkOf(vendor.kind) ?? null,
        },
        ...(media.some(({ variant }) => variant === 'poster') && { hasPoster: true }),
      },
    },
    media,
  };
}
