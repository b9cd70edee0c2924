import { priceItemKinds, type PriceTerms } from '@gateway/domain';

/** Body of billing's `POST /internal/holds`; idempotent by `task_id`. */
export interface HoldRequest {
  readonly task_id: string;
  readonly account_id: string;
  /** Quota to move from available to held: seconds × second_quota, or the sum of the price's items. */
  readonly quota: number;
  readonly seconds: number;
  readonly second_quota: number;
  /** The terms of a price that is more than seconds of output. */
  readonly price?: PriceTerms;
}

/**
 * `held`: taken now. `exists`: this task has its open hold already. `insufficient`: nothing was
 * taken. `closed`: the task's hold was closed before.
 */
export type HoldOutcome = 'held' | 'exists' | 'insufficient' | 'closed';

export interface HoldResponse {
  readonly outcome: HoldOutcome;
  /** What the account had available when the response was decided. */
  readonly available_quota: number;
}

const quota = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

export const holdRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['task_id', 'account_id', 'quota', 'seconds', 'second_quota'],
  properties: {
    task_id: { type: 'string', minLength: 1, maxLength: 64 },
    account_id: { type: 'string', minLength: 1, maxLength: 64 },
    quota,
    seconds: { type: 'integer', minimum: 1, maximum: 3600 },
    second_quota: quota,
    price: {
      type: 'object',
      required: ['rules', 'facts', 'items'],
      properties: {
        rules: { type: 'object' },
        facts: {
          type: 'object',
          required: ['resolution', 'seconds', 'audio', 'inputSeconds', 'references', 'factors'],
        },
        items: { type: 'array', maxItems: priceItemKinds.length },
      },
    },
  },
} as const;

export const holdResponseSchema = {
  type: 'object',
  required: ['outcome', 'available_quota'],
  properties: {
    outcome: { enum: ['held', 'exists', 'insufficient', 'closed'] },
    available_quota: { type: 'integer' },
  },
} as const;
