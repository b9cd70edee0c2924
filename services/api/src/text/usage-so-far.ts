import type { UsageRecord } from '@gateway/contracts';
import type { Usage } from '@gateway/text-dialects';
import { openRecordOf, usageOrEstimate } from './metering.ts';
import type { OpenAnswer } from './open-answers.ts';
import type { RequestBody } from './prepare.ts';

export interface UsageSoFarOptions {
  /** A monotonic clock. */
  readonly nowMs: () => number;
  /** Requests that end before this are never looked at. */
  readonly afterMs?: number;
  /** How long a round may hold the event loop up; it goes on in the next one where it stopped. */
  readonly budgetMs?: number;
}

/** What was last told of one request. */
interface Told {
  inputTokens?: number;
  figures?: string;
}

/** Rounds come from a ticker that may be quicker than this. */
const everyMs = 900;
const charactersPerToken = 4;

/**
 * Looks at the requests under way that have run for more than a second, and answers the records of those that changed
 * since the last look, as they would be if the gateway ended now: aborted, and estimated where nothing was reported.
 */
export function createUsageSoFar({ nowMs, afterMs = 1_000, budgetMs = 10 }: UsageSoFarOptions): (open: ReadonlySet<OpenAnswer>) => UsageRecord[] {
  const told = new WeakMap<OpenAnswer, Told>();
  let lastRoundMs = -Infinity;
  let place = 0;
  const changed = (answer: OpenAnswer): UsageRecord | undefined => {
    const known = told.get(answer) ?? {};
    const usage = soFar(answer, known);
    const figures = figuresOf(answer, usage);
    if (figures === known.figures) return undefined;
    known.figures = figures;
    told.set(answer, known);
    return openRecordOf(answer.exchange, answer.task.model, usage);
  };
  return (open) => {
    const startMs = nowMs();
    if (startMs - lastRoundMs < everyMs) return [];
    lastRoundMs = startMs;
    const answers = [...open].filter(({ exchange }) => exchange.facts.attempts > 0 && startMs - exchange.startedMs > afterMs);
    const records: UsageRecord[] = [];
    let looked = 0;
    while (looked < answers.length && (looked === 0 || nowMs() - startMs < budgetMs)) {
      const answer = answers[(place + looked) % answers.length];
      const record = answer === undefined ? undefined : changed(answer);
      if (record !== undefined) records.push(record);
      looked += 1;
    }
    place = answers.length === 0 ? 0 : (place + looked) % answers.length;
    return records;
  };
}

function soFar({ downstream, task }: OpenAnswer, known: Told): Usage {
  const { usage, outputCharacters } = downstream.soFar();
  return usageOrEstimate(usage, { complete: false, outputCharacters, inputTokens: () => (known.inputTokens ??= estimateOf(task.body)) });
}

const figuresOf = ({ exchange: { facts } }: OpenAnswer, usage: Usage): string =>
  [facts.attempts, usage.inputTokens, usage.cachedInputTokens, usage.cacheWriteTokens, usage.outputTokens, usage.reasoningTokens].join(' ');

/** This runs in a timer, where an error would end the process. */
function estimateOf(body: RequestBody): number {
  try {
    return body.estimate();
  } catch {
    return Math.ceil(body.bytes.length / charactersPerToken);
  }
}
