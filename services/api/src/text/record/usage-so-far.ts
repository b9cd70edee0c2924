import type { UsageRecord } from '@gateway/contracts';
import type { OpenItems } from '@gateway/runtime';
import { estimateByteTokens, type Usage } from '@gateway/text-dialects';
import type { RequestBody } from '../arrive/index.ts';
import type { OpenCompletion } from '../client/index.ts';
import { openRecordOf, usageOrEstimate } from './usage-record.ts';

export interface UsageSoFarOptions {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** Runs `work` when the streams have had their turn. */
  readonly defer: (work: () => void) => void;
  /** Takes the records that changed. */
  readonly keep: (changed: readonly UsageRecord[]) => void;
  /** Requests that end before this are never kept. */
  readonly afterMs?: number;
  /** How long the streams may be held up at a time. */
  readonly sliceMs?: number;
}

type OpenNow = Pick<OpenItems<OpenCompletion>, 'all' | 'has'>;

/** What was last kept of one request. */
interface LastKept {
  /** Estimated once. */
  inputTokens?: number;
  /** Changes with the usage. */
  fingerprint?: string;
}

/** Rounds come from a ticker that may be quicker than this. */
const everyMs = 900;

/**
 * Walks, once a second and slice by slice, the requests that have run for more than a second, and
 * hands over the records of those that changed since the last round, as they would be if the
 * gateway ended now: aborted, and estimated.
 */
export function createUsageSoFar({
  nowMs,
  defer,
  keep,
  afterMs = 1_000,
  sliceMs = 4,
}: UsageSoFarOptions): (open: OpenNow) => void {
  const lastKept = new WeakMap<OpenCompletion, LastKept>();
  let lastRoundMs = -Infinity;
  let underWay = false;
  const changed = (completion: OpenCompletion): UsageRecord | undefined => {
    const known = lastKept.get(completion) ?? {};
    const usage = soFar(completion, known);
    const fingerprint = fingerprintOf(completion, usage);
    if (fingerprint === known.fingerprint) return undefined;
    known.fingerprint = fingerprint;
    lastKept.set(completion, known);
    return openRecordOf(completion.request, completion.wanted.model, usage);
  };
  const recordOf = (completion: OpenCompletion): UsageRecord | undefined => {
    try {
      return changed(completion);
    } catch (error) {
      completion.request.onException(completion.request, error);
      return undefined;
    }
  };
  const slice = (open: OpenNow, waiting: OpenCompletion[]): void => {
    const startMs = nowMs();
    const records: UsageRecord[] = [];
    do {
      const completion = waiting.pop();
      // One that has ended meanwhile has its final record.
      const record =
        completion !== undefined && open.has(completion) ? recordOf(completion) : undefined;
      if (record !== undefined) records.push(record);
    } while (waiting.length > 0 && nowMs() - startMs < sliceMs);
    keep(records);
    underWay = waiting.length > 0;
    if (underWay) {
      defer(() => {
        slice(open, waiting);
      });
    }
  };
  return (open) => {
    const startMs = nowMs();
    if (underWay || startMs - lastRoundMs < everyMs) return;
    lastRoundMs = startMs;
    slice(
      open,
      open
        .all()
        .filter(
          ({ request }) => request.facts.attempts > 0 && startMs - request.startedMs > afterMs,
        ),
    );
  };
}

function soFar({ clientStream, wanted }: OpenCompletion, known: LastKept): Usage {
  const { usage, outputBytes } = clientStream.usageSoFar();
  return usageOrEstimate(usage, {
    complete: false,
    outputBytes,
    inputTokens: () => (known.inputTokens ??= estimateOf(wanted.body)),
  });
}

const fingerprintOf = ({ request: { facts } }: OpenCompletion, usage: Usage): string =>
  [
    facts.attempts,
    usage.inputTokens,
    usage.cachedInputTokens,
    usage.cacheWriteTokens,
    usage.outputTokens,
    usage.reasoningTokens,
  ].join(' ');

/** This runs in a timer, where an error would end the process. */
function estimateOf(body: RequestBody): number {
  try {
    return body.estimate();
  } catch {
    return estimateByteTokens(body.sizeBytes);
  }
}
