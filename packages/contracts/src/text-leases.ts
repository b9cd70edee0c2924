import { idPattern } from '@gateway/domain';

/** What a replica of the api says of one of its leases, and wants of it; nano-quota. */
export interface LeaseAskBody {
  readonly account_id: string;
  readonly lease_id: string;
  /** Grows with every ask about this lease: an older one that arrives late changes nothing. */
  readonly sequence: number;
  /** Cost of all requests that have ended since the lease began. */
  readonly spent_nano: number;
  /** Reserved for requests that run. */
  readonly reserved_nano: number;
  /** What requests that wait would reserve, all of them and the smallest. */
  readonly needed_nano: number;
  readonly least_nano: number;
  /** To have at hand beyond that. */
  readonly spare_nano: number;
  /** Whether anything may be given back, and all of it. */
  readonly mode: 'keep' | 'give_back' | 'close';
}

/** Body of billing's `POST /internal/leases`: also renews everything that the replica holds. */
export interface LeaseRequest {
  readonly replica: string;
  /** One for each account at most. */
  readonly leases: readonly LeaseAskBody[];
}

/** A lease as the books have it. */
export interface LeaseStateBody {
  readonly account_id: string;
  readonly lease_id: string;
  /** `none`: nothing was granted. */
  readonly state: 'open' | 'closed' | 'none';
  /** What it holds and does not owe. */
  readonly purse_nano: number;
  /** Cost of the usage that billing has taken so far. */
  readonly applied_nano: number;
  /** Of the account, beside all that is held. */
  readonly available_quota: number;
  readonly debt_quota: number;
}

export interface LeaseResponse {
  readonly leases: readonly LeaseStateBody[];
  /** Accounts in debt of which this replica has a lease: nothing new is served for them. */
  readonly debtors: readonly string[];
}

/** Larger asks of a replica come in several requests. */
export const mostLeasesAtOnce = 500;

const amount = { type: 'number', minimum: 0, maximum: 1e30 } as const;
const text = { type: 'string', minLength: 1, maxLength: 64 } as const;

export const leaseRequestSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['replica', 'leases'],
  properties: {
    replica: text,
    leases: {
      type: 'array',
      maxItems: mostLeasesAtOnce,
      items: {
        type: 'object',
        additionalProperties: false,
        required: [
          'account_id',
          'lease_id',
          'sequence',
          'spent_nano',
          'reserved_nano',
          'needed_nano',
          'least_nano',
          'spare_nano',
          'mode',
        ],
        properties: {
          account_id: text,
          lease_id: { type: 'string', pattern: idPattern('lease') },
          sequence: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
          spent_nano: amount,
          reserved_nano: amount,
          needed_nano: amount,
          least_nano: amount,
          spare_nano: amount,
          mode: { enum: ['keep', 'give_back', 'close'] },
        },
      },
    },
  },
} as const;

const whole = { type: 'integer' } as const;

export const leaseResponseSchema = {
  type: 'object',
  required: ['leases', 'debtors'],
  properties: {
    leases: {
      type: 'array',
      items: {
        type: 'object',
        required: [
          'account_id',
          'lease_id',
          'state',
          'purse_nano',
          'applied_nano',
          'available_quota',
          'debt_quota',
        ],
        properties: {
          account_id: text,
          lease_id: text,
          state: { enum: ['open', 'closed', 'none'] },
          purse_nano: { type: 'number' },
          applied_nano: { type: 'number' },
          available_quota: whole,
          debt_quota: whole,
        },
      },
    },
    debtors: { type: 'array', items: text },
  },
} as const;
