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

/** Of one `POST /internal/holds/batch`. */
export const mostHoldsTogether = 64;

/** One of several holds that are asked for together. */
export interface AskedHold {
  /** As the body of `POST /internal/holds`; judged by itself, so that it fails alone. */
  readonly hold: unknown;
  /** Of the request that it is for. */
  readonly request_id?: string;
}

/** Body of billing's `POST /internal/holds/batch`. */
export interface HoldBatchRequest {
  readonly holds: readonly AskedHold[];
}

/**
 * A line of its response: what became of one hold. They come in the order in which they are decided.
 */
export type HoldBatchLine = { readonly index: number } & (
  HoldResponse | { readonly error: HoldFailure }
);

/** What `POST /internal/holds` would have responded with. */
export interface HoldFailure {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const holdBatchRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['holds'],
  properties: {
    holds: {
      type: 'array',
      minItems: 1,
      maxItems: mostHoldsTogether,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['hold'],
        properties: { hold: {}, request_id: { type: 'string', maxLength: 200 } },
      },
    },
  },
} as const;

export const holdBatchLineSchema = {
  type: 'object',
  required: ['index'],
  properties: { index: { type: 'integer', minimum: 0 } },
  anyOf: [
    holdResponseSchema,
    {
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          required: ['status', 'code', 'message'],
          properties: {
            status: { type: 'integer' },
            code: { type: 'string' },
            message: { type: 'string' },
          },
        },
      },
    },
  ],
} as const;
