import { idPattern } from '@gateway/domain';

export const usageOutcomes = ['succeeded', 'failed', 'aborted'] as const;
export type UsageOutcome = (typeof usageOutcomes)[number];

/**
 * What one text request used and cost: written by the api into its outbox, taken from there by
 * billing. Plain JSON.
 */
export interface UsageRecord {
  /** Idempotent by it: billing takes a record once, however often it arrives. */
  readonly id: string;
  readonly account_id: string;
  readonly key_id: string;
  readonly request_id: string;
  /** The customer's name of the model. */
  readonly model: string;
  readonly provider: string;
  readonly upstream_model: string;
  /** The client's dialect. */
  readonly dialect: 'messages' | 'chat' | 'responses';
  readonly upstream_dialect: 'messages' | 'chat' | 'responses';
  readonly stream: boolean;
  readonly outcome: UsageOutcome;
  /** Status that the client got. */
  readonly status: number;
  /** Without what was read from and written to a cache. */
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_tokens: number;
  /** Reasoning included. */
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  /** The vendor reported nothing; the figures are ours. */
  readonly estimated: boolean;
  /**
   * Nano-quota (1e-9 of a unit), as a decimal text: it can be larger than a JSON number holds
   * exactly.
   */
  readonly cost_nano: string;
  readonly started_at: string;
  readonly duration_ms: number;
  /** Null when no byte of a response came. */
  readonly first_byte_ms: number | null;
  /** Of `cache_write_tokens`, those written for an hour. */
  readonly cache_write_1h_tokens: number;
  /** Uses of tools that the vendor runs. */
  readonly server_tool_uses: number;
  /** As the vendor named it, else as it was asked for; null where nobody named one. */
  readonly service_tier: string | null;
  /** The lease that it is charged to first; null where nothing was reserved. Not stored. */
  readonly lease_id: string | null;
}

/** Records that are saved together, by one api process. */
export interface UsageBatch {
  readonly id: string;
  readonly records: readonly UsageRecord[];
}

const name = { type: 'string', minLength: 1, maxLength: 256 } as const;
const dialect = { enum: ['messages', 'chat', 'responses'] } as const;
const tokens = { type: 'integer', minimum: 0, maximum: 1_000_000_000_000 } as const;
const milliseconds = { type: 'integer', minimum: 0, maximum: 2_147_483_647 } as const;

const fields = {
  id: { type: 'string', pattern: idPattern('usage') },
  account_id: { type: 'string', pattern: idPattern('account') },
  key_id: { type: 'string', pattern: idPattern('key') },
  request_id: name,
  model: name,
  provider: name,
  upstream_model: name,
  dialect,
  upstream_dialect: dialect,
  stream: { type: 'boolean' },
  outcome: { enum: usageOutcomes },
  status: { type: 'integer', minimum: 100, maximum: 599 },
  input_tokens: tokens,
  cached_input_tokens: tokens,
  cache_write_tokens: tokens,
  output_tokens: tokens,
  reasoning_tokens: tokens,
  estimated: { type: 'boolean' },
  // At most 25 digits: a batch of such costs still fits the ledger's integers.
  cost_nano: { type: 'string', pattern: '^(0|[1-9][0-9]{0,24})$' },
  started_at: {
    type: 'string',
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,6})?Z$',
  },
  duration_ms: milliseconds,
  first_byte_ms: { ...milliseconds, type: ['integer', 'null'] },
  cache_write_1h_tokens: tokens,
  server_tool_uses: tokens,
  service_tier: { ...name, type: ['string', 'null'] },
  lease_id: { type: ['string', 'null'], pattern: idPattern('lease') },
} as const satisfies Record<keyof UsageRecord, object>;

export const usageRecordSchema = {
  type: 'object',
  additionalProperties: false,
  required: Object.keys(fields),
  properties: fields,
} as const;
