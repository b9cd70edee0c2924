import type { TextModel, UsageRecord } from '@gateway/contracts';
import { tokenCost } from '@gateway/domain';
import { isoTime, newId } from '@gateway/runtime';
import { estimateByteTokens, type Usage } from '@gateway/text-dialects';
import type { TextRequest } from '../request/index.ts';
import { chargedUsage } from './charged-usage.ts';

/** What went through the gateway, for usage that the upstream did not report. */
export interface ObservedOutput {
  /** The upstream finished its completion, so the usage it reported is final. */
  readonly complete: boolean;
  readonly outputBytes: number;
  /** Estimated tokens of the prompt; called only when the upstream reported none. */
  readonly inputTokens: () => number;
}

/**
 * What the upstream reported when it finished, else what can be derived from what went through,
 * marked as an estimate.
 */
export function usageOrEstimate(
  reported: Usage | null,
  { complete, outputBytes, inputTokens }: ObservedOutput,
): Usage {
  if (reported !== null && complete) return reported;
  const outputTokens = estimateByteTokens(outputBytes);
  if (reported === null) {
    return { ...nothing, inputTokens: inputTokens(), outputTokens, estimated: true };
  }
  return {
    ...reported,
    outputTokens: Math.max(reported.outputTokens, outputTokens),
    estimated: true,
  };
}

const nothing: Usage = {
  inputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  estimated: false,
};

/**
 * More than any vendor can have read or written: a number beyond it is broken, and must not spoil
 * its batch.
 */
const mostTokens = 1_000_000_000;
const counted = (tokens: number): number =>
  Number.isSafeInteger(tokens) && tokens > 0 ? Math.min(tokens, mostTokens) : 0;

/** The record of one request that reached an upstream; undefined when none did. */
export const usageRecordOf = (
  request: TextRequest,
  model: TextModel | undefined,
): UsageRecord | undefined => recordOf(request, model, request.facts.usage ?? nothing);

/**
 * The record of one that still runs, as it would be if the gateway ended now; its final record has
 * the same id.
 */
export function openRecordOf(
  request: TextRequest,
  model: TextModel,
  usage: Usage,
): UsageRecord | undefined {
  const record = recordOf(request, model, usage);
  return record === undefined ? undefined : { ...record, outcome: 'aborted' };
}

function recordOf(
  request: TextRequest,
  model: TextModel | undefined,
  reported: Usage,
): UsageRecord | undefined {
  const { facts, requestId, path, response, startedAtMs, startedMs, clientGone } = request;
  const { caller, provider, upstreamModel, upstreamDialect } = facts;
  if (
    caller === undefined ||
    model === undefined ||
    provider === undefined ||
    upstreamModel === undefined ||
    upstreamDialect === undefined
  ) {
    return undefined;
  }
  const usage = chargedUsage(reported, model.tokenPrice, request);
  return {
    id: (facts.usageId ??= newId('usage')),
    account_id: caller.accountId,
    key_id: caller.keyId,
    request_id: requestId,
    model: model.name,
    provider,
    upstream_model: upstreamModel,
    dialect: path.dialect,
    upstream_dialect: upstreamDialect,
    stream: facts.stream === true,
    outcome: outcomeOf({ clientGone, failed: facts.failed, status: response.statusCode }),
    status: response.statusCode,
    input_tokens: counted(usage.inputTokens),
    cached_input_tokens: counted(usage.cachedInputTokens),
    cache_write_tokens: counted(usage.cacheWriteTokens),
    output_tokens: counted(usage.outputTokens),
    reasoning_tokens: counted(usage.reasoningTokens),
    estimated: usage.estimated,
    cost_nano: model.tokenPrice === undefined ? '0' : tokenCost(model.tokenPrice, usage).toString(),
    started_at: isoTime(startedAtMs),
    duration_ms: Math.round(performance.now() - startedMs),
    first_byte_ms: facts.firstByteMs === undefined ? null : Math.round(facts.firstByteMs),
    ...extrasOf(usage),
    lease_id: leaseOf(facts),
  };
}

const extrasOf = (
  usage: Usage,
): Pick<UsageRecord, 'cache_write_1h_tokens' | 'server_tool_uses' | 'service_tier'> => ({
  cache_write_1h_tokens: counted(usage.cacheWrite1hTokens ?? 0),
  server_tool_uses: usesOf(usage),
  service_tier: usage.serviceTier ?? null,
});

const usesOf = ({ serverToolUses }: Usage): number =>
  serverToolUses === undefined
    ? 0
    : counted(Object.values(serverToolUses).reduce((sum, count) => sum + counted(count), 0));

const leaseOf = ({ reservation }: TextRequest['facts']): string | null =>
  reservation === undefined ? null : reservation.leaseId;

function outcomeOf({
  clientGone,
  failed,
  status,
}: {
  clientGone: boolean;
  failed: boolean;
  status: number;
}): UsageRecord['outcome'] {
  if (clientGone) return 'aborted';
  return failed || status >= 400 ? 'failed' : 'succeeded';
}
