import type { ErrorCode } from './error-catalogue.ts';

/** One violation of a request: the JSON path of the field and what is wrong with it. */
export interface ErrorDetail {
  readonly param: string | null;
  readonly message: string;
}

interface GatewayErrorOptions {
  /** JSON path of the field at fault, for instance `references[1].url`. */
  readonly param?: string | null;
  /** All violations of the request, this one included. */
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterMs?: number;
  /** Headers that belong to this failure, for instance `allow`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For logs only, never sent. */
  readonly cause?: unknown;
}

const brand = Symbol.for('gateway.GatewayError');

/**
 * A failure with a code of the catalogue. `message` is shown to the customer: it names the field
 * and what would be right.
 */
export class GatewayError extends Error {
  override readonly name = 'GatewayError';
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterMs: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly [brand] = true;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.param = options.param ?? null;
    this.details = options.details ?? [];
    this.retryAfterMs = options.retryAfterMs;
    this.headers = options.headers ?? {};
  }

  /** Works across realms and duplicate copies, where instanceof does not. */
  static is(value: unknown): value is GatewayError {
    return typeof value === 'object' && value !== null && brand in value;
  }

  /**
   * Anything thrown, as a GatewayError. Unknown things become `internal`, whose cause goes to the
   * log only.
   */
  static from(value: unknown): GatewayError {
    return GatewayError.is(value)
      ? value
      : new GatewayError('internal', 'Something went wrong on our side. Quote the request id.', {
          cause: value,
        });
  }
}

/** The sentence in anything thrown, for logs. */
export function describeError(value: unknown): string {
  if (typeof value !== 'object' || value === null || !('message' in value)) return String(value);
  // Several refused addresses of one host come as one error without a message of its own.
  const { message, errors, code } = value as { message: unknown; errors?: unknown; code?: unknown };
  if (message !== '') return String(message);
  return Array.isArray(errors) ? errors.map(describeError).join('; ') : String(code);
}
