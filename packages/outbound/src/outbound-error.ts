/**
 * Why a request to an address that a stranger chose failed, and the sentence for the customer:
 * never with a resolved address.
 */
export const outboundFailures = {
  blocked_address: 'the address is not public',
  dns_error: 'the name could not be resolved',
  connection_refused: 'the connection was refused',
  connection_reset: 'the connection was closed before the response was complete',
  tls_error: 'the TLS handshake failed',
  timeout_lookup: 'the name was not resolved in time',
  timeout_connect: 'the connection was not made in time',
  timeout_tls: 'the TLS handshake did not finish in time',
  timeout_response: 'no response came in time',
  timeout_idle: 'the response stalled',
  timeout_total: 'the request did not finish in time',
  invalid_answer: 'the response was not valid HTTP',
  network_error: 'the network failed',
  too_large: 'the response is larger than allowed',
  http_status: 'the response was not a success',
  too_many_redirects: 'there were too many redirects',
} as const;

export type OutboundFailure = keyof typeof outboundFailures;

interface OutboundErrorOptions {
  /** What goes beyond the sentence of the class; shown to the customer. */
  readonly detail?: string;
  /**
   * The address that was refused: for the operator's log only, or it tells a stranger what our DNS
   * knows.
   */
  readonly blockedAddress?: string;
  readonly status?: number;
  readonly cause?: unknown;
}

const brand = Symbol.for('gateway.OutboundError');

/** A failed request. `message` is safe to show to the customer who chose the address. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError';
  readonly code: OutboundFailure;
  readonly blockedAddress: string | undefined;
  /** The status of the response, with `http_status`. */
  readonly status: number | undefined;
  readonly [brand] = true;

  constructor(code: OutboundFailure, options: OutboundErrorOptions = {}) {
    super(options.detail ?? outboundFailures[code], { cause: options.cause });
    this.code = code;
    this.blockedAddress = options.blockedAddress;
    this.status = options.status;
  }

  static is(value: unknown): value is OutboundError {
    return typeof value === 'object' && value !== null && brand in value;
  }
}

const failureOfCode: Readonly<Partial<Record<string, OutboundFailure>>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  ERR_STREAM_PREMATURE_CLOSE: 'connection_reset',
  ERR_HTTP_CONTENT_LENGTH_MISMATCH: 'connection_reset',
  ETIMEDOUT: 'timeout_connect',
};

/**
 * Anything that a request, a socket or the HTTP parser throws, as an OutboundError. System messages
 * are dropped: they carry addresses.
 */
export function toOutboundError(thrown: unknown): OutboundError {
  const own = findOwn(thrown);
  if (own !== undefined) return own;
  return fromCode(codeOf(thrown), thrown);
}

/**
 * The same for a code that is already at hand; `otherwise` is the class of a code that the table
 * does not know.
 */
export function fromCode(
  code: string,
  cause: unknown,
  otherwise: OutboundFailure = 'network_error',
): OutboundError {
  const failure = failureOfCode[code] ?? (code.startsWith('HPE_') ? 'invalid_answer' : otherwise);
  return new OutboundError(failure, { detail: `${outboundFailures[failure]} (${code})`, cause });
}

/** The system's code of an error, or `unknown`. */
export const codeOf = (thrown: unknown): string => {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : 'unknown';
};

/** Whoever wrapped it: the error we made ourselves says most. */
function findOwn(thrown: unknown): OutboundError | undefined {
  for (let error = thrown, depth = 0; depth < 5; depth += 1) {
    if (OutboundError.is(error)) return error;
    if (typeof error !== 'object' || error === null) return undefined;
    error = (error as { cause?: unknown }).cause;
  }
  return undefined;
}
