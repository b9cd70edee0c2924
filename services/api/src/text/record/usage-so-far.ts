import type { UsageRecord } from '@gateway/contracts';
import type { OpenItems } from '@gateway/runtime';
import type { Usage } from '@gateway/text-dialects';
import type { RequestBody } from '../arrive/index.ts';
import type { OpenAnswer } from '../client/index.ts';
import { openRecordOf, usageOrEstimate } from './usage-record.ts';

export interface UsageSoFarOptions {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** Runs this when the streams have had their turn. */
  readonly defer: (work: () => void) => void;
  /** Takes what changed. */
  readonly keep: (changed: readonly UsageRecord[]) => void;
  /** Requests that end before this are never looked at. */
  readonly afterMs?: number;
  /** How long the streams may be held up at a time. */
  readonly sliceMs?: number;
}

type OpenNow = Pick<OpenItems<OpenAnswer>, 'all' | 'has'>;

/** What was last told of one request. */
interface Told {
  inputTokens?: number;
  figures?: string;
}

/** Rounds come from a ticker that may be quicker than this. */
const everyMs = 900;
const charactersPerToken = 4;

/**
 * Looks, once a second, at the requests under way that have run for more than a second, slice by
 * slice, and hands over the records of those that changed since the last look, as they would be if
 * the gateway ended now: aborted, and estimated.
 */
export function createUsageSoFar({
  nowMs,
  defer,
  keep,
  afterMs = 1_000,
  sliceMs = 4,
}: UsageSoFarOptions): (open: OpenNow) => void {
  const told = new WeakMap<OpenAnswer, Told>();
  let lastRoundMs = -Infinity;
  let underWay = false;
  const changed = (answer: OpenAnswer): UsageRecord | undefined => {
    const known = told.get(answer) ?? {};
    const usage = soFar(answer, known);
    const figures = figuresOf(answer, usage);
    if (figures === known.figures) return undefined;
    known.figures = figures;
    told.set(answer, known);
    return openRecordOf(answer.exchange, answer.task.model, usage);
  };
  const slice = (open: OpenNow, waiting: OpenAnswer[]): void => {
    const startMs = nowMs();
    const records: UsageRecord[] = [];
    do {
      const answer = waiting.pop();
      // One that has ended meanwhile has its final record.
      const record = answer !== undefined && open.has(answer) ? changed(answer) : undefined;
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
          ({ exchange }) => exchange.facts.attempts > 0 && startMs - exchange.startedMs > afterMs,
        ),
    );
  };
}

function soFar({ downstream, task }: OpenAnswer, known: Told): Usage {
  const { usage, outputCharacters } = downstream.soFar();
  return usageOrEstimate(usage, {
    complete: false,
    outputCharacters,
    inputTokens: () => (known.inputTokens ??= estimateOf(task.body)),
  });
}

const figuresOf = ({ exchange: { facts } }: OpenAnswer, usage: Usage): string =>
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
    return Math.ceil(body.bytes.length / charactersPerToken);
  }
}
