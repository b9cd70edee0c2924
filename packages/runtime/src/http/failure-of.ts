import { GatewayError } from '@gateway/domain';

/** How a connection fails below SQL, and what a pool says that found none in time. */
const systemCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
const poolSentences =
  /^(timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error)/;
/**
 * SQLSTATE: connection exceptions, too many connections, a server that stops, crashed or starts, a
 * statement that took too long or waited too long for a lock (PostgreSQL, appendix A); Prisma's
 * words for the same.
 */
const awayStates = /^(08...|53300|57P0[123]|57014|55P03|P1001|P1002|P1008|P1017|P2024)$/;

/**
 * Anything thrown, as what the caller is told. A store that is away is a 503 to try again; what
 * else is unknown is `internal`. The cause goes to the log only.
 */
export function failureOf(thrown: unknown): GatewayError {
  if (GatewayError.is(thrown) || !isAway(thrown)) return GatewayError.from(thrown);
  return new GatewayError(
    'upstream_unavailable',
    'a store of the gateway cannot be reached right now; try again',
    { retryAfterMs: 1_000, cause: thrown },
  );
}

interface Thrown {
  readonly code?: unknown;
  /** The SQLSTATE, where Prisma has no word of its own for it. */
  readonly originalCode?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  readonly meta?: { readonly driverAdapterError?: unknown };
}

/**
 * Several refused addresses of one host come as one error; Prisma puts the driver's error below its
 * own.
 */
function isAway(thrown: unknown, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > 4) return false;
  const { code, originalCode, message, errors, cause, meta } = thrown as Thrown;
  if (
    [code, originalCode].some(
      (said) => systemCodes.has(String(said)) || awayStates.test(String(said)),
    ) ||
    poolSentences.test(String(message))
  ) {
    return true;
  }
  return [
    cause,
    meta?.driverAdapterError,
    ...(Array.isArray(errors) ? (errors as unknown[]) : []),
  ].some((each) => isAway(each, depth + 1));
}
